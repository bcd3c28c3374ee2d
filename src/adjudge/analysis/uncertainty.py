"""How little a judge's scores of an item can be relied on, told from the scores alone.

All items at once: a page that asks about the least certain of 100,000 cannot read their verdicts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from adjudge.core.judge import Judge
from adjudge.core.scale import Category, Scale
from adjudge.stats.arrays import Bools, Floats, Ints

from .browsing.columns import Bytes, Columns

# A score in the middle, or one that a single yes or no has moved, only hints at doubt; one that is
# missing, or that another model contradicts, is doubt.
_HINT = 0.5
_DIGITS = 9  # sums in another order are equal


@dataclass(frozen=True, slots=True)
class Given:
    """What a criterion was given: a row for each model and repeat, a place for each item. `here` is
    false where there is no verdict; `value`, `unit` and `confidence` are NaN where unknown, names
    are places among the options, `rule` is 0 where none moved the score."""

    here: Bools
    value: Floats
    unit: Floats
    confidence: Floats
    rule: Bytes


@dataclass(frozen=True, slots=True)
class Uncertain:
    """By item: whether the judge judged it; the largest of the criteria's uncertainties, and their
    mean, each on 0-1."""

    here: Bools
    largest: Floats
    mean: Floats


def item_uncertainty(columns: Columns, judge: Judge, criteria: Collection[str]) -> Uncertain:
    """Of all that the judge gave the items, by whatever models and in whatever repeats."""
    given = {name: _given(columns, judge, name) for name in criteria}
    found = np.stack(
        [
            criterion_uncertainty(each, judge.rubric.criteria[name].scale)
            for name, each in given.items()
        ]
    )
    here = np.any([each.here.any(axis=0) for each in given.values()], axis=0)
    return Uncertain(here, found.max(axis=0).round(_DIGITS), found.mean(axis=0).round(_DIGITS))


def _given(columns: Columns, judge: Judge, name: str) -> Given:
    row = list(judge.rubric.criteria).index(name)
    samples = [
        each
        for (by, _), repeats in columns.repeats.items()
        if by == judge.name
        for each in repeats.values()
    ]
    return Given(
        here=np.stack([each.here for each in samples]),
        value=np.stack([each.value[row] for each in samples]),
        unit=np.stack([each.unit[row] for each in samples]),
        confidence=np.stack([each.confidence[row] for each in samples]),
        rule=np.stack([each.rule[row] for each in samples]),
    )


def criterion_uncertainty(given: Given, scale: Scale) -> Floats:
    """The strongest of the reasons for doubt, by item, on 0-1.

    They are: the share of scores that are missing; how far repeats and models are apart; how unsure
    the model was, where it said so; and, counted half, a rule that moved the score and a mean in
    the middle of the scale.
    """
    scored = given.here & np.isfinite(given.value)
    count = scored.sum(axis=0)
    reasons = [
        1 - _share(count, given.here.sum(axis=0)),
        _share((scored & (given.rule > 0)).sum(axis=0), count) * _HINT,
        _unsure(given.confidence, scored),
    ]
    if isinstance(scale, Category):
        reasons.append(_dissent(given.value, scored, len(scale.options)))
    else:
        units = np.where(scored & np.isfinite(given.unit), given.unit, np.nan)
        known = np.isfinite(units)
        mean = _mean(units, known)
        reasons.append(2 * np.sqrt(_mean((units - mean) ** 2, known)))
        middle = (1 - np.abs(2 * mean - 1)) * _HINT
        reasons.append(np.where(known.any(axis=0), middle, 0.0))
    return np.where(count > 0, np.max(reasons, axis=0), 1.0)


def _unsure(confidence: Floats, scored: Bools) -> Floats:
    known = scored & np.isfinite(confidence)
    return np.where(known.any(axis=0), 1 - _mean(confidence, known), 0.0)


def _dissent(names: Floats, scored: Bools, options: int) -> Floats:
    """The share that differs from the commonest name: 1 when all names are as common."""
    given = [(scored & (names == option)).sum(axis=0) for option in range(options)]
    rest = 1 - _share(np.max(given, axis=0), scored.sum(axis=0))
    return rest * options / (options - 1) if options > 1 else np.zeros(rest.shape)


def _mean(values: Floats, known: Bools) -> Floats:
    """Down the columns, over what is known; 0 where nothing is."""
    return _share(np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0))


def _share(part: Floats | Ints, whole: Ints) -> Floats:
    """0 of nothing."""
    return np.where(whole > 0, part / np.maximum(whole, 1), 0.0)
