"""Whether a model is kinder to its own texts than the others are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

from adjudge.stats.mean import mean
from adjudge.stats.stat import Stat, undefined

from .findings import Finding
from .measuring import Ruler
from .verdicts import Verdicts, place


def of_authors(ruler: Ruler, verdicts: Verdicts) -> Iterator[Finding]:
    """For each model: how much more than the other models it gives to its own texts, less how much
    more it gives to those of others. A model that is generous to all does not show."""
    for model in verdicts.models:
        for name in ruler.subject.judge.rubric.criteria:
            yield _finding(ruler, verdicts, model, name)


def _finding(ruler: Ruler, verdicts: Verdicts, model: str, criterion: str) -> Finding:
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
    return Finding(
        probe="self-preference",
        model=model,
        criterion=criterion,
        measure="preference",
        n=n,
        unscored=unscored,
        effect=effect,
        limit=ruler.limits.preference,
        rating=ruler.limits.rate("preference", effect, n),
        note=f"{len(own)} texts of its own, {len(others)} of others",
    )


def wrote(author: str, model: str) -> bool:
    """The model's full name, or the part behind the provider."""
    return author in {model, model.partition("/")[2]}


def _gap(ruler: Ruler, verdicts: Verdicts, what: tuple[str, str, str]) -> float | None:
    """What the model gives the item above the mean of the others, on 0-1."""
    model, item, criterion = what
    given = {
        each: found.unit
        for each in verdicts.models
        if (found := place(ruler.subject, item, verdicts.score(each, item, criterion)))
        and found.unit is not None
    }
    others = [unit for each, unit in given.items() if each != model]
    return given[model] - fmean(others) if model in given and others else None


def _apart(own: Sequence[float], others: Sequence[float], confidence: float) -> Stat:
    """The difference of two means of different items, its interval put together from theirs
    (Newcombe's square-and-add)."""
    one, other = mean(own, confidence=confidence), mean(others, confidence=confidence)
    if one.value is None or other.value is None:
        return undefined("no text of its own, or none of others")
    value = one.value - other.value
    down = math.hypot(_below(one), _above(other))
    up = math.hypot(_above(one), _below(other))
    if not (down and up):
        return Stat(value, why="no interval: the gap is the same for every text")
    return Stat(value, value - down, value + up)


def _below(stat: Stat) -> float:
    """From the value down to the end of its interval; 0 where all rows are alike."""
    return 0.0 if stat.value is None or stat.low is None else stat.value - stat.low


def _above(stat: Stat) -> float:
    return 0.0 if stat.value is None or stat.high is None else stat.high - stat.value
