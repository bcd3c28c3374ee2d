"""A mean from labels that were drawn stratum by stratum, and how to spread labels over strata.

A stratum is a set of rows that are alike in what is known before anything is labelled. Within each,
labels are drawn at random; between strata they may be as unequal as pays, for every stratum counts
by its size. The spread within strata alone makes the interval wide: labels go where that is large
(Neyman's allocation). The judge's scores are a control variate with one weight for all strata.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats, Ints, number_pair
from adjudge.stats.mean import t_quantile
from adjudge.stats.ppi import FEWEST_LABELS, Corrected, LabelsNeeded, mean_of_labels, too_few
from adjudge.stats.stat import Stat, undefined

FEWEST_IN_STRATUM = 2  # labels; below, a stratum shows no spread
_FINEST = 30  # steps of a score that is no level
_FEWEST_ROWS = 4  # of a stratum
_PARTS = 5  # that the scores of a slice are cut into
_DOUBT = 0.25  # of the typical variance, for what rare values a few labels do not show
_BORROWED = 3.0  # labels' worth of the spread of all strata that each is given


@dataclass(frozen=True, slots=True)
class StrataSpread:
    """What the labels tell of each stratum: how many there are, and the variance of what people say
    beyond the judge (`within`); `all_rows` is the variance of what people say of all rows."""

    sizes: Floats
    counts: Floats
    within: Floats
    all_rows: float

    def variance(self, counts: Floats) -> float:
        """Of the mean over the population that the rows come from, with so many labels each."""
        left = np.maximum(0, 1 / counts - 1 / self.sizes)
        within = float((self.shares**2 * self.within * left).sum())
        return within + self.all_rows / float(self.sizes.sum())

    def freedom(self, counts: Floats) -> float:
        """Satterthwaite's degrees of freedom, one less for the weight that was fitted. A label
        counts half: how many each stratum got was decided by the labels themselves."""
        parts = (self.shares**2 * self.within / counts)[self.within > 0]
        if not len(parts):
            return max(1.0, float(counts.sum()) - len(counts) - 1)
        free = np.maximum((counts[self.within > 0] - 1) / 2, 1)
        return max(1.0, float(parts.sum() ** 2 / (parts**2 / free).sum()) - 1)

    def width(self, counts: Floats, confidence: float) -> float:
        """Of the interval, from end to end."""
        return 2 * t_quantile(confidence, self.freedom(counts)) * math.sqrt(self.variance(counts))

    @property
    def shares(self) -> Floats:
        return np.asarray(self.sizes / self.sizes.sum())


def spread_of(values: Floats, strata: Ints, sizes: Floats) -> StrataSpread:
    """From the labelled rows' values beyond the judge. Strata borrow a little of the spread of all,
    so that a few equal labels do not claim that there is none."""
    known = len(sizes)
    counts = np.bincount(strata, minlength=known).astype(np.float64)
    means = _means(values, strata, known)
    squares = np.bincount(strata, (values - means[strata]) ** 2, known)
    pooled = squares.sum() / max(1.0, float(np.maximum(counts - 1, 0).sum()))
    within = (squares + _BORROWED * pooled) / (np.maximum(counts - 1, 0) + _BORROWED)
    typical = float(sizes @ within) / float(sizes.sum())
    return StrataSpread(sizes, counts, np.maximum(within, _DOUBT * typical), 0.0)


def stratified_mean(
    human: npt.ArrayLike,
    judge: npt.ArrayLike,
    strata: npt.ArrayLike,
    sizes: npt.ArrayLike,
    judge_mean: float,
    *,
    confidence: float = 0.95,
) -> Corrected:
    """The mean that people would give over the population that the rows come from.

    `human`, `judge` and `strata` (from 0) are of the labelled rows, `sizes` says how many rows each
    stratum has, and `judge_mean` is the judge's mean of all rows. Every stratum needs two labels.
    """
    labels, scores = number_pair(human, judge)
    at = np.asarray(strata, dtype=np.intp)
    rows = int(np.asarray(sizes).sum())
    classical = mean_of_labels(labels, None, confidence)
    why = too_few(len(labels))
    if why:
        none = undefined(why)
        return Corrected(none, "stratified", len(labels), rows - len(labels), none)
    spread, weight = fitted(labels, scores, at, sizes)
    shares, beyond = spread.shares, labels - weight * scores
    value = float(shares @ _means(beyond, at, len(shares))) + weight * judge_mean
    stat = Stat.around(value, spread.width(spread.counts, confidence) / 2)
    return Corrected(stat, "stratified", len(labels), rows - len(labels), classical, weight)


def fitted(
    labels: Floats, scores: Floats, strata: Ints, sizes: npt.ArrayLike
) -> tuple[StrataSpread, float]:
    """The spread beyond the judge's scores, and their weight of least variance; not below 0."""
    size = np.asarray(sizes, dtype=np.float64)
    counts, shares = np.bincount(strata, minlength=len(size)), size / size.sum()
    y = labels - _means(labels, strata, len(size))[strata]
    f = scores - _means(scores, strata, len(size))[strata]
    per = (shares**2 / np.maximum(counts * (counts - 1), 1))[strata]
    below = float((per * f * f).sum())
    weight = max(0.0, float((per * y * f).sum()) / below) if below > 0 else 0.0
    seen = shares * (counts > 0) / shares[counts > 0].sum()
    means = _means(labels, strata, len(size))
    between = float(seen @ (means - seen @ means) ** 2)
    total = float(shares @ spread_of(labels, strata, size).within) + between
    beyond = labels - weight * scores
    spread = spread_of(beyond, strata, size)
    # What is borrowed may widen the interval, and not narrow it.
    within = np.maximum(spread.within, _variances(beyond, strata, len(size)))
    return replace(spread, within=within, all_rows=total), weight


def _means(values: Floats, strata: Ints, known: int) -> Floats:
    counts = np.bincount(strata, minlength=known)
    return np.asarray(np.bincount(strata, values, known) / np.maximum(counts, 1))


def _variances(values: Floats, strata: Ints, known: int) -> Floats:
    squares = (values - _means(values, strata, known)[strata]) ** 2
    counts = np.bincount(strata, minlength=known)
    return np.asarray(np.bincount(strata, squares, known) / np.maximum(counts - 1, 1))


def allocate(spread: StrataSpread, labels: int) -> Ints:
    """So many labels spread over the strata: by size times spread, at least those that are there
    and two for each, at most all rows of it."""
    least = np.minimum(np.maximum(spread.counts, FEWEST_IN_STRATUM), spread.sizes)
    wanted = np.minimum(_filled(spread, least, max(labels, least.sum())), spread.sizes)
    whole = np.floor(wanted + 1e-9).astype(np.intp)
    rest = np.argsort(whole - wanted, kind="stable")
    left = round(float(wanted.sum())) - int(whole.sum())
    whole[rest[:left]] += 1
    return whole


def _filled(spread: StrataSpread, least: Floats, labels: float) -> Floats:
    """Proportional to size times spread, between `least` and all rows: what a bound takes is shared
    by the others."""
    pull = spread.sizes * np.sqrt(spread.within) + 1e-12
    low, high = 0.0, float((spread.sizes / pull).max())
    for _ in range(60):
        middle = (low + high) / 2
        total = np.clip(middle * pull, least, spread.sizes).sum()
        low, high = (low, middle) if total >= labels else (middle, high)
    return np.clip(high * pull, least, spread.sizes)


def joined(strata: Ints, sizes: Floats) -> tuple[Ints, Floats]:
    """Each stratum with too few labels made one with its neighbour: strata stand in an order."""
    places = _neighbours(np.bincount(strata, minlength=len(sizes)), FEWEST_IN_STRATUM)
    return places[strata], np.bincount(places, sizes).astype(np.float64)


def _neighbours(counts: Ints, least: float) -> Ints:
    """Where each stratum goes, so that every one has at least so many."""
    places, at, held = np.zeros(len(counts), dtype=np.intp), 0, 0
    for stratum, count in enumerate(counts.tolist()):
        places[stratum] = at
        held += count
        if held >= least and counts[stratum + 1 :].sum() >= least:
            at, held = at + 1, 0
    return places


def together(spreads: Sequence[StrataSpread], widths: Sequence[float]) -> StrataSpread:
    """One spread to draw by, for several means: each counts by what it lacks."""
    within = sum(
        (one.within / width**2 for one, width in zip(spreads, widths, strict=True)),
        np.zeros(len(spreads[0].sizes)),
    )
    return replace(spreads[0], within=within)


def further_labels(
    spreads: Sequence[StrataSpread], widths: Sequence[float], confidence: float
) -> LabelsNeeded:
    """The fewest labels beside those there are that make each interval as narrow as wished."""
    drawn = together(spreads, widths)

    def reached(labels: int) -> float:
        """The widest interval, as a multiple of the width that was asked for."""
        counts = allocate(drawn, labels).astype(np.float64)
        pairs = zip(spreads, widths, strict=True)
        return max(one.width(counts, confidence) / width for one, width in pairs)

    there, rows = int(drawn.counts.sum()), int(drawn.sizes.sum())
    least = max(FEWEST_LABELS, there)
    if reached(least) <= 1:
        return LabelsNeeded(least - there)
    if reached(rows) > 1:
        width = reached(rows) * min(widths)
        return LabelsNeeded(None, Reason("still_wide", rows=rows, width=width))
    needed = bisect_left(range(rows), True, least, key=lambda count: reached(count) <= 1)
    return LabelsNeeded(needed - there)


def strata_of(score: Floats, apart: Floats, slices: Ints) -> Ints:
    """The stratum of each row, from 0: by slice, by whether the judges are further `apart` than in
    the middle row, and by score, cut so that the roots of the counts are even (Dalenius, Hodges).

    A stratum of fewer than 4 rows, or than a fiftieth of all, is made one with its neighbour.
    """
    fine = score
    if len(np.unique(score)) > _FINEST:
        fine = np.floor((score - score.min()) / np.ptp(score) * _FINEST)
    _, at, counts = np.unique(fine, return_inverse=True, return_counts=True)
    ends = np.cumsum(np.sqrt(counts))
    cut = _PARTS * (ends - np.sqrt(counts) / 2) / ends[-1]
    cell = np.minimum(cut.astype(np.intp), _PARTS - 1)
    order = (slices * 2 + (apart > np.median(apart))) * _PARTS + cell[at]
    _, strata, counts = np.unique(order, return_inverse=True, return_counts=True)
    return np.asarray(_neighbours(counts, max(_FEWEST_ROWS, len(score) / 50))[strata])
