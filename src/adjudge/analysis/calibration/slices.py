"""A calibration within parts of the data, with its intervals wide enough for all parts at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from adjudge.analysis.scores.grader import CriterionScores
from adjudge.analysis.scores.intervals import mean_of
from adjudge.analysis.scores.reader import Column
from adjudge.core.reason import Reason
from adjudge.stats.agreement import agreement
from adjudge.stats.arrays import Ints
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.people import People
from adjudge.stats.ppi import too_few
from adjudge.stats.stat import Stat, undefined

from .agreement import measure_of, no_better_than_chance, order_alone
from .means import means, no_means
from .pairs import LabelledPairs, pair

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
    interval, so high that all hold at once with the one that was asked for (Bonferroni's bound over
    the slices that have enough labels). `left_out` counts rarer values, which were not looked
    at."""

    slices: tuple[SliceCalibration, ...]
    confidence: float
    left_out: int


def by_slice(
    scored: CriterionScores,
    people: People,
    groups: Ints | None,
    columns: Mapping[str, Column],
    resampling: Resampling,
) -> Slicing:
    """A slice per value of each column; items without a value are in none."""
    parts, left_out = [], 0
    for name, column in columns.items():
        counts = np.bincount(column.codes[scored.places], minlength=len(column.texts) + 1)[1:]
        present = np.flatnonzero(counts)
        order = present[np.argsort(-counts[present], kind="stable")].tolist()
        left_out += len(order[_MOST:])
        for at in order[:_MOST]:
            within = scored.among(column.codes == at + 1)
            pairs = pair(within, people, groups)
            parts.append(((name, column.texts[at]), within, pairs, too_few(pairs.independent)))
    enough = sum(few is None for *_, few in parts)
    confidence = 1 - (1 - resampling.confidence) / max(enough, 1)
    chosen = replace(resampling, confidence=confidence)
    slices = tuple(_slice(*part, chosen) for part in parts)
    return Slicing(slices, confidence, left_out)


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
