"""Probes that alter no text: asked again, places changed, criteria turned round."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from adjudge.core.reason import Reason
from adjudge.core.score import ORDERS_DISAGREE, Score
from adjudge.stats.mean import mean, share
from adjudge.stats.stat import Stat, undefined

from .findings import ProbeFinding
from .measuring import BeforeAfter, ProbeQuestion, ProbeVerdicts, Ruler, place

_TIE = 0.5


def of_repeats(ruler: Ruler, verdicts: ProbeVerdicts, repeats: int) -> Iterator[ProbeFinding]:
    """Every further sample of a text against its first; the samples of a text belong together."""
    subject = ruler.subject
    for model in verdicts.models:
        for name, criterion in subject.judge.rubric.criteria.items():
            rows = BeforeAfter(criterion.scale)
            for item in subject.items:
                first, *others = (
                    place(subject, item.id, verdicts.score(model, item.id, name, sample))
                    for sample in range(repeats)
                )
                for other in others:
                    rows.add(first, other, item.id)
            yield ruler.finding(ProbeQuestion("repeat", "flip", model, name), rows)


def of_criteria_order(
    ruler: Ruler, verdicts: ProbeVerdicts, turned: ProbeVerdicts
) -> Iterator[ProbeFinding]:
    """Every text with the criteria in their order and in the opposite one."""
    subject = ruler.subject
    for model in verdicts.models:
        for name, criterion in subject.judge.rubric.criteria.items():
            rows = BeforeAfter(criterion.scale)
            for item in subject.items:
                rows.add(
                    place(subject, item.id, verdicts.score(model, item.id, name)),
                    place(subject, item.id, turned.score(model, item.id, name)),
                    item.id,
                )
            yield ruler.finding(ProbeQuestion("criteria-order", "flip", model, name), rows)


def of_contrasts(ruler: Ruler, verdicts: ProbeVerdicts) -> Iterator[ProbeFinding]:
    """The good answer to a question against the wrong one; in a pair, the wrong one must lose."""
    subject = ruler.subject
    for model in verdicts.models:
        for name in subject.judge.rubric.criteria:
            missed: list[bool] = []
            for good, weak in subject.contrasts:
                low = place(subject, weak, verdicts.score(model, weak, name))
                high = place(subject, good, verdicts.score(model, good, name))
                if low and high and low.unit is not None and high.unit is not None:
                    missed.append(low.unit >= (_TIE if subject.judge.pair else high.unit))
            unscored = len(subject.contrasts) - len(missed)
            yield _share_of(
                ruler, ProbeQuestion("contrast", "unnoticed", model, name), missed, unscored
            )


def of_order(ruler: Ruler, verdicts: ProbeVerdicts) -> Iterator[ProbeFinding]:
    """The two orders of every pair, which the judge was asked in anyway."""
    subject = ruler.subject
    for model in verdicts.models:
        for name in subject.judge.rubric.criteria:
            scores = [verdicts.score(model, item.id, name) for item in subject.items]
            scored = [score for score in scores if score is not None and score.value is not None]
            flips = [score.rule == ORDERS_DISAGREE for score in scored]
            unscored = len(scores) - len(scored)
            finding = _share_of(ruler, ProbeQuestion("order", "flip", model, name), flips, unscored)
            yield replace(finding, note=_leaning(ruler, scored))


def _share_of(ruler: Ruler, asked: ProbeQuestion, hits: list[bool], unscored: int) -> ProbeFinding:
    effect = share(hits, None, ruler.confidence) if hits else undefined(Reason("no_probe_pairs"))
    return ProbeFinding(
        probe=asked.probe,
        model=asked.model,
        criterion=asked.criterion,
        measure=asked.measure,
        n=len(hits),
        unscored=unscored,
        effect=effect,
        limit=getattr(ruler.limits, asked.measure),
        rating=ruler.limits.rate(asked.measure, effect, len(hits)),
    )


def _leaning(ruler: Ruler, scored: list[Score]) -> Reason | None:
    """Which place it leans to, where the orders disagree; `raw` then holds both answers."""
    pair = ruler.subject.judge.pair
    if pair is None:
        return None
    one, other = pair.values
    raws = [score.raw for score in scored if score.rule == ORDERS_DISAGREE]
    first, second = raws.count(f"{one}|{other}"), raws.count(f"{other}|{one}")
    if not raws:
        return None
    return Reason("leaning", count=len(raws), first=first, second=second)


def of_authors(ruler: Ruler, verdicts: ProbeVerdicts) -> Iterator[ProbeFinding]:
    """For each model: how much more than the other models it gives to its own texts, less how much
    more it gives to those of others. A model that is generous to all does not show."""
    for model in verdicts.models:
        for name in ruler.subject.judge.rubric.criteria:
            yield _finding(ruler, verdicts, model, name)


def _finding(ruler: Ruler, verdicts: ProbeVerdicts, model: str, criterion: str) -> ProbeFinding:
    own: list[float] = []
    others: list[float] = []
    unscored = 0
    for item, author in ruler.subject.authors.items():
        gap = _gap(ruler, verdicts, (model, item, criterion))
        if gap is None:
            unscored += 1
        else:
            (own if wrote(author, model) else others).append(gap)
    effect = _apart(own, others, ruler.confidence)
    n = min(len(own), len(others))
    return ProbeFinding(
        probe="self-preference",
        model=model,
        criterion=criterion,
        measure="preference",
        n=n,
        unscored=unscored,
        effect=effect,
        limit=ruler.limits.preference,
        rating=ruler.limits.rate("preference", effect, n),
        note=Reason("own_texts", own=len(own), others=len(others)),
    )


def wrote(author: str, model: str) -> bool:
    """The model's full name, or the part behind the provider."""
    return author in {model, model.partition("/")[2]}


def _gap(ruler: Ruler, verdicts: ProbeVerdicts, what: tuple[str, str, str]) -> float | None:
    """What the model gives the item above the mean of the others, on 0-1."""
    model, item, criterion = what
    units = {
        name: placed.unit
        for name in verdicts.models
        if (placed := place(ruler.subject, item, verdicts.score(name, item, criterion)))
        and placed.unit is not None
    }
    others = [unit for name, unit in units.items() if name != model]
    return units[model] - fmean(others) if model in units and others else None


def _apart(own: Sequence[float], others: Sequence[float], confidence: float) -> Stat:
    """The difference of two means of different items, its interval put together from theirs
    (Newcombe's square-and-add)."""
    one, other = mean(own, confidence=confidence), mean(others, confidence=confidence)
    if one.value is None or other.value is None:
        return undefined(Reason("no_own_text"))
    value = one.value - other.value
    down = math.hypot(_below(one), _above(other))
    up = math.hypot(_above(one), _below(other))
    if not (down and up):
        return Stat(value, why=Reason("no_interval", why=Reason("gap_constant")))
    return Stat(value, value - down, value + up)


def _below(stat: Stat) -> float:
    """From the value down to the end of its interval; 0 where all rows are alike."""
    return 0.0 if stat.value is None or stat.low is None else stat.value - stat.low


def _above(stat: Stat) -> float:
    return 0.0 if stat.value is None or stat.high is None else stat.high - stat.value
