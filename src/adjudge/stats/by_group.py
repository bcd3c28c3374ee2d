"""Correlation within each group, then averaged over the groups.

It asks whether the judge orders the answers to one question as people do, and takes no credit for
telling easy questions from hard ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats, Ints, number_pair
from adjudge.stats.bootstrap import MOST, Resampling, weights, with_interval
from adjudge.stats.clusters import Clusters, Groups, clusters
from adjudge.stats.correlation import correlations_by_row
from adjudge.stats.stat import Stat, undefined

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
    correlations = np.concatenate(
        [correlations_by_row(*batch) for batch in _batches(one, other, within)], axis=0
    )
    kept = correlations[np.isfinite(correlations).all(axis=1)]
    means = [_mean(column, resampling) for column in kept.T]
    return ByGroup(len(kept), within.count - len(kept), *means)


def _mean(values: Floats, resampling: Resampling) -> Stat:
    if not len(values):
        return undefined(Reason("no_group"))
    blocks = Clusters(np.arange(len(values)), len(values)).at_most(MOST, resampling.seed)
    sums = blocks.sums(np.stack([values, np.ones_like(values)], axis=1))
    drawn = np.concatenate([chunk @ sums for chunk in weights(blocks.count, resampling)])
    return with_interval(float(values.mean()), drawn[:, 0] / drawn[:, 1], len(values), resampling)


def _batches(one: Floats, other: Floats, within: Clusters) -> Iterator[tuple[Floats, Floats]]:
    """Groups of equal size side by side, a row per group, in batches that fit into memory."""
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
