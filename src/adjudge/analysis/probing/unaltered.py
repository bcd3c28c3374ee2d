"""Probes that alter no text: asked again, places changed, criteria turned round."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from adjudge.core.reason import Reason
from adjudge.core.score import ORDERS_DISAGREE, Score
from adjudge.stats.mean import mean, share
from adjudge.stats.stat import Stat, undefined, without_interval

from .findings import ProbeFinding
from .measuring import NO_PAIRS, ProbeMeasurer, ProbeQuestion, ProbeVerdicts

_TIE = 0.5


def of_repeats(
    ruler: ProbeMeasurer, verdicts: ProbeVerdicts, repeats: int
) -> Iterator[ProbeFinding]:
    """Every further sample of a text against its first; the samples of a text belong together."""
    further = [(item.id, sample) for item in ruler.subject.items for sample in range(1, repeats)]
    for asked in ruler.questions("repeat", "flip", verdicts):
        value = partial(ruler.value, verdicts, asked)
        yield ruler.compared(asked, ((value(text), value(text, n), text) for text, n in further))


def of_criteria_order(
    ruler: ProbeMeasurer, verdicts: ProbeVerdicts, turned: ProbeVerdicts
) -> Iterator[ProbeFinding]:
    """Every text with the criteria in their order and in the opposite one."""
    ids = [item.id for item in ruler.subject.items]
    for asked in ruler.questions("criteria-order", "flip", verdicts):
        values = ([ruler.value(run, asked, id_) for id_ in ids] for run in (verdicts, turned))
        yield ruler.compared(asked, zip(*values, ids, strict=True))


def of_contrasts(ruler: ProbeMeasurer, verdicts: ProbeVerdicts) -> Iterator[ProbeFinding]:
    """The good answer to a question against the wrong one; in a pair, the wrong one must lose."""
    subject = ruler.subject
    for asked in ruler.questions("contrast", "unnoticed", verdicts):
        missed: list[bool] = []
        for good, weak in subject.contrasts:
            low, high = (ruler.value(verdicts, asked, text) for text in (weak, good))
            if low and high and low.unit is not None and high.unit is not None:
                missed.append(low.unit >= (_TIE if subject.judge.pair else high.unit))
        yield _share_of(ruler, asked, missed, len(subject.contrasts) - len(missed))


def of_order(ruler: ProbeMeasurer, verdicts: ProbeVerdicts) -> Iterator[ProbeFinding]:
    """The two orders of every pair, which the judge was asked in anyway."""
    items = ruler.subject.items
    for asked in ruler.questions("order", "flip", verdicts):
        scores = [verdicts.score(asked.model, item.id, asked.criterion) for item in items]
        scored = [score for score in scores if score is not None and score.value is not None]
        flips = [score.rule == ORDERS_DISAGREE for score in scored]
        finding = _share_of(ruler, asked, flips, len(scores) - len(scored))
        yield replace(finding, note=_leaning(ruler, scored))


def _share_of(
    ruler: ProbeMeasurer, asked: ProbeQuestion, hits: list[bool], unscored: int
) -> ProbeFinding:
    effect = share(hits, None, ruler.confidence) if hits else undefined(NO_PAIRS)
    return ruler.rated(asked, effect, len(hits), unscored)


def _leaning(ruler: ProbeMeasurer, scored: list[Score]) -> Reason | None:
    """Which place it leans to, where the orders disagree; `raw` then holds both answers."""
    pair = ruler.subject.judge.pair
    if pair is None:
        return None
    one, other = pair.values
    raws = [score.raw for score in scored if score.rule == ORDERS_DISAGREE]
    first, second = raws.count(f"{one}|{other}"), raws.count(f"{other}|{one}")
    return Reason("leaning", count=len(raws), first=first, second=second) if raws else None


def of_authors(ruler: ProbeMeasurer, verdicts: ProbeVerdicts) -> Iterator[ProbeFinding]:
    """For each model: how much more than the other models it gives to its own texts, less how much
    more it gives to those of others. A model that is generous to all does not show."""
    for asked in ruler.questions("self-preference", "preference", verdicts):
        own: list[float] = []
        others: list[float] = []
        authors = ruler.subject.authors
        for item, author in authors.items():
            gap = _gap(ruler, verdicts, asked, item)
            if gap is not None:
                (own if wrote(author, asked.model) else others).append(gap)
        effect, n = _apart(own, others, ruler.confidence), min(len(own), len(others))
        note = Reason("own_texts", own=len(own), others=len(others))
        yield ruler.rated(asked, effect, n, len(authors) - len(own) - len(others), note=note)


def wrote(author: str, model: str) -> bool:
    """The model's full name, or the part behind the provider."""
    return author in {model, model.partition("/")[2]}


def _gap(
    ruler: ProbeMeasurer, verdicts: ProbeVerdicts, asked: ProbeQuestion, item: str
) -> float | None:
    """What the model gives the item above the mean of the others, on 0-1."""
    units = {}
    for model in verdicts.models:
        value = ruler.value(verdicts, asked._replace(model=model), item)
        if value is not None and value.unit is not None:
            units[model] = value.unit
    own = units.pop(asked.model, None)
    return own - fmean(units.values()) if own is not None and units else None


def _apart(own: Sequence[float], others: Sequence[float], confidence: float) -> Stat:
    """The difference of two means of different items, its interval put together from theirs
    (Newcombe's square-and-add)."""
    one, other = mean(own, confidence=confidence), mean(others, confidence=confidence)
    if one.value is None or other.value is None:
        return undefined(Reason("no_own_text"))
    value = one.value - other.value
    (below, above), (other_below, other_above) = _reach(one), _reach(other)
    down, up = math.hypot(below, other_above), math.hypot(above, other_below)
    if not (down and up):
        return without_interval(value, Reason("gap_constant"))
    return Stat(value, value - down, value + up)


def _reach(stat: Stat) -> tuple[float, float]:
    """From the value down and up to the ends of its interval; 0 where all rows are alike."""
    if stat.value is None or stat.low is None or stat.high is None:
        return 0.0, 0.0
    return stat.value - stat.low, stat.high - stat.value
