"""A calibration within parts of the data, with its intervals wide enough for all parts at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.analysis.scores.grader import CriterionScores
from adjudge.analysis.scores.intervals import mean_of
from adjudge.core.reason import Reason
from adjudge.stats.agreement import agreement
from adjudge.stats.arrays import Bools, Ints
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.corrected import too_few
from adjudge.stats.people import People
from adjudge.stats.stat import Stat, undefined

from .agreement import measure_of, no_better_than_chance, order_alone
from .means import means, no_means
from .pairs import LabelledPairs, pair
from .systems import Systems

_MOST = 20  # values of a column that are looked at


@dataclass(frozen=True, slots=True)
class SliceCalibration:
    """The `items` with one value in a column, `n` of which have a score and a label.

    `agreement` is Spearman's correlation, of names kappa; `bias`, `raw` and `corrected` are as of
    all items. All are undefined with a reason where the slice has too few labels.
    """

    column: str
    value: str
    items: int
    n: int
    agreement: Stat
    bias: Stat
    raw: Stat
    corrected: Stat


@dataclass(frozen=True, slots=True)
class Slicing:
    """The slices of one criterion, the largest of each column first; `confidence` is that of each
    interval, so high that with the wished-for one all hold at once (Bonferroni's bound over the
    slices that have enough labels). `left_out` counts rarer values, which were not looked at."""

    slices: tuple[SliceCalibration, ...]
    confidence: float
    left_out: int


def by_slice(
    scored: CriterionScores,
    people: People,
    groups: Ints | None,
    columns: Sequence[Systems],
    resampling: Resampling,
) -> Slicing:
    """A slice per value of each column; items without a value are in none."""
    parts, left_out = [], 0
    for column in columns:
        of = column.of[scored.places]
        counts = np.bincount(of[of >= 0], minlength=len(column.names))
        present = np.flatnonzero(counts)
        order = present[np.argsort(-counts[present], kind="stable")].tolist()
        left_out += len(order[_MOST:])
        for code in order[:_MOST]:
            within = _within(scored, of == code)
            pairs = pair(within, people, groups)
            parts.append((column, code, within, pairs, too_few(_independent(pairs))))
    enough = sum(few is None for *_, few in parts)
    confidence = 1 - (1 - resampling.confidence) / max(enough, 1)
    chosen = replace(resampling, confidence=confidence)
    slices = tuple(
        _slice((column.column, column.names[code]), within, pairs, few, chosen)
        for column, code, within, pairs, few in parts
    )
    return Slicing(slices, confidence, left_out)


def _within(scored: CriterionScores, here: Bools) -> CriterionScores:
    divided = None if scored.divided is None else scored.divided[here]
    places, values = scored.places[here], scored.values[here]
    return replace(scored, places=places, values=values, divided=divided)


def _independent(pairs: LabelledPairs) -> int:
    return len(pairs.judge if pairs.groups is None else np.unique(pairs.groups))


def _slice(
    named: tuple[str, str],
    scored: CriterionScores,
    pairs: LabelledPairs,
    few: Reason | None,
    resampling: Resampling,
) -> SliceCalibration:
    counts = (*named, len(scored.places), len(pairs.judge))
    if few is not None:
        return SliceCalibration(*counts, *[undefined(few)] * 4)
    measure = measure_of(scored.scale)
    overall = agreement(pairs.judge, pairs.human, pairs.groups, measure, resampling)
    if not scored.on_scale:
        overall = order_alone(overall)
    if not measure.ordered:
        none = no_means()
        return SliceCalibration(*counts, overall.kappa, overall.bias, none.raw, none.raw)
    confidence = resampling.confidence
    raw = mean_of(scored, None, confidence)
    chance = no_better_than_chance(overall, measure)
    corrected = means(scored, pairs, chance, raw, confidence=confidence, width=None)
    return SliceCalibration(
        *counts, overall.spearman, overall.bias, corrected.raw, corrected.corrected.stat
    )
