"""Correlation within each group, then averaged over the groups.

It asks whether the judge orders the answers to one question as people do, and takes no credit for
telling easy questions from hard ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from adjudge.stats.arrays import Floats, Ints, number_pair
from adjudge.stats.bootstrap import MOST, Resampling, weights, with_interval
from adjudge.stats.clusters import Clusters, Groups, clusters
from adjudge.stats.correlation import kendall
from adjudge.stats.stat import Stat, undefined

_SMALL = 64  # Rows: up to here all pairs of a group are compared at once.
_PAIRS = 4_000_000  # Pairs held in memory at a time.
_DEFAULT = Resampling()


@dataclass(frozen=True, slots=True)
class ByGroup:
    """Means over `groups` groups; `left_out` others have a constant side, and no correlation."""

    groups: int
    left_out: int
    pearson: Stat
    spearman: Stat
    kendall: Stat


def agreement_by_group(
    judge: npt.ArrayLike, human: npt.ArrayLike, groups: Groups, resampling: Resampling = _DEFAULT
) -> ByGroup:
    """Pearson, Spearman and Kendall's tau-b in each group, averaged; intervals resample groups."""
    one, other = number_pair(judge, human)
    within = clusters(groups, len(one))
    each = np.concatenate([_correlations(*batch) for batch in _batches(one, other, within)], axis=0)
    kept = each[np.isfinite(each).all(axis=1)]
    means = [_mean(column, resampling) for column in kept.T]
    return ByGroup(len(kept), within.count - len(kept), *means)


def _mean(values: Floats, resampling: Resampling) -> Stat:
    if not len(values):
        return undefined("no group in which both the judge and people use two values")
    blocks = Clusters(np.arange(len(values)), len(values)).at_most(MOST, resampling.seed)
    sums = blocks.sums(np.stack([values, np.ones_like(values)], axis=1))
    drawn = np.concatenate([chunk @ sums for chunk in weights(blocks.count, resampling)])
    return with_interval(float(values.mean()), drawn[:, 0] / drawn[:, 1], len(values), resampling)


def _batches(one: Floats, other: Floats, within: Clusters) -> Iterator[tuple[Floats, Floats]]:
    """Groups of equal size side by side, a group a row, in batches that fit into memory."""
    yield np.empty((0, 2)), np.empty((0, 2))  # there may be no group at all
    order = np.argsort(within.of, kind="stable")
    sizes: Ints = np.bincount(within.of, minlength=within.count)
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):
        first = starts[sizes == size]
        step = max(1, _PAIRS // int(size) ** 2)
        for begin in range(0, len(first), step):
            rows = order[first[begin : begin + step, None] + np.arange(size)]
            yield one[rows], other[rows]


def _correlations(one: Floats, other: Floats) -> Floats:
    """Pearson, Spearman and Kendall of each row of two tables, NaN where a side is constant."""
    varying = (np.ptp(one, axis=1) > 0) & (np.ptp(other, axis=1) > 0)
    found = np.full((len(one), 3), np.nan)
    one, other = one[varying], other[varying]
    if not len(one):
        return found
    ranks = scipy.stats.rankdata(one, axis=1), scipy.stats.rankdata(other, axis=1)
    found[varying] = np.stack(
        [_pearson(one, other), _pearson(*ranks), _kendall(one, other)], axis=1
    )
    return found


def _pearson(one: Floats, other: Floats) -> Floats:
    one = one - one.mean(axis=1, keepdims=True)
    other = other - other.mean(axis=1, keepdims=True)
    return _cosine(one, other)


def _kendall(one: Floats, other: Floats) -> Floats:
    """Tau-b is the cosine between the signs of all differences of a side."""
    size = one.shape[1]
    if size > _SMALL:
        pairs = zip(one, other, strict=True)
        return np.array([kendall(x, y) for x, y in pairs], dtype=float)
    left, right = np.triu_indices(size, 1)
    return _cosine(np.sign(one[:, left] - one[:, right]), np.sign(other[:, left] - other[:, right]))


def _cosine(one: Floats, other: Floats) -> Floats:
    lengths = np.sqrt(np.sum(one**2, axis=1) * np.sum(other**2, axis=1))
    cosine: Floats = np.sum(one * other, axis=1) / lengths
    return np.clip(cosine, -1, 1)
