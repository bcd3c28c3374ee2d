"""Probes that alter no text: asked again, places changed, criteria turned round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adjudge.core.score import Score
from adjudge.reading.pairs import DISAGREE
from adjudge.stats.proportion import share
from adjudge.stats.stat import undefined

from .findings import Finding
from .measuring import Asked, Rows, Ruler
from .verdicts import Verdicts, place

_TIE = 0.5


def of_repeats(ruler: Ruler, verdicts: Verdicts, repeats: int) -> Iterator[Finding]:
    """Every further sample of a text against its first; the samples of a text belong together."""
    subject = ruler.subject
    for model in verdicts.models:
        for name, criterion in subject.judge.rubric.criteria.items():
            rows = Rows(criterion.scale)
            for item in subject.items:
                first, *others = (
                    place(subject, item.id, verdicts.score(model, item.id, name, sample))
                    for sample in range(repeats)
                )
                for other in others:
                    rows.add(first, other, item.id)
            yield ruler.finding(Asked("repeat", "flip", model, name), rows)


def of_criteria_order(ruler: Ruler, verdicts: Verdicts, turned: Verdicts) -> Iterator[Finding]:
    """Every text with the criteria in their order and in the opposite one."""
    subject = ruler.subject
    for model in verdicts.models:
        for name, criterion in subject.judge.rubric.criteria.items():
            rows = Rows(criterion.scale)
            for item in subject.items:
                rows.add(
                    place(subject, item.id, verdicts.score(model, item.id, name)),
                    place(subject, item.id, turned.score(model, item.id, name)),
                    item.id,
                )
            yield ruler.finding(Asked("criteria-order", "flip", model, name), rows)


def of_contrasts(ruler: Ruler, verdicts: Verdicts) -> Iterator[Finding]:
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
            yield _share_of(ruler, Asked("contrast", "unnoticed", model, name), missed, unscored)


def of_order(ruler: Ruler, verdicts: Verdicts) -> Iterator[Finding]:
    """The two orders of every pair, which the judge was asked in anyway."""
    subject = ruler.subject
    for model in verdicts.models:
        for name in subject.judge.rubric.criteria:
            scores = [verdicts.score(model, item.id, name) for item in subject.items]
            scored = [each for each in scores if each is not None and each.value is not None]
            flips = [each.rule == DISAGREE for each in scored]
            unscored = len(scores) - len(scored)
            found = _share_of(ruler, Asked("order", "flip", model, name), flips, unscored)
            yield replace(found, note=_leaning(ruler, scored))


def _share_of(ruler: Ruler, asked: Asked, hits: list[bool], unscored: int) -> Finding:
    effect = share(hits, None, ruler.confidence) if hits else undefined("no pairs")
    return Finding(
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


def _leaning(ruler: Ruler, scored: list[Score]) -> str | None:
    """Which place it leans to, where the orders disagree; `raw` then holds both answers."""
    pair = ruler.subject.judge.pair
    if pair is None:
        return None
    one, other = pair.values
    raws = [each.raw for each in scored if each.rule == DISAGREE]
    first, second = raws.count(f"{one}|{other}"), raws.count(f"{other}|{one}")
    if not raws:
        return None
    return (
        f"of {len(raws)} that changed, {first} went to the first place and {second} to the second"
    )
