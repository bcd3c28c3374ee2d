"""How far a judge and people agree on the same rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.core.reason import Reason
from adjudge.stats.alpha import alpha_of_pairs
from adjudge.stats.arrays import Floats, Ints, codes, number_pair, same_length
from adjudge.stats.bootstrap import (
    DEFAULT,
    FEWEST,
    MOST,
    Clusters,
    Groups,
    Resampling,
    clusters,
    weights,
    with_interval,
)
from adjudge.stats.correlation import correlations_by_row
from adjudge.stats.mean import share
from adjudge.stats.measure import (
    MOST_NAMES,
    NAMES,
    ORDINAL,
    UNORDERED,
    Measure,
    around_value,
    replicates,
    values,
    why_undefined,
)
from adjudge.stats.stat import Stat, undefined

_PAIRS = 4_000_000  # Pairs held in memory at a time.


@dataclass(frozen=True, slots=True)
class Agreement:
    """Statistics of `n` pairs, each with an interval that counts groups, not rows.

    `exact` and `adjacent` are shares of rows, 0-1; `bias` is the judge's mean minus the people's
    and `mae` the mean distance, in units of the scale; the others are at most 1. `kappa` is
    Cohen's: with quadratic weights on a scale, plain for names. `alpha` is Krippendorff's at the
    scale's level.
    """

    n: int
    exact: Stat
    adjacent: Stat
    bias: Stat
    mae: Stat
    pearson: Stat
    spearman: Stat
    kendall: Stat
    kappa: Stat
    alpha: Stat


def agreement(
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    groups: Groups = None,
    measure: Measure = ORDINAL,
    resampling: Resampling = DEFAULT,
) -> Agreement:
    """The agreement of two vectors, row by row.

    At the level "nominal" the values may be of any kind, and what needs an order is undefined.
    """
    one, other = _sides(judge, human, measure)
    if not len(one):
        none = why_undefined(one, other, "exact", measure)
        return Agreement(0, *[undefined(none)] * len(NAMES))
    within = clusters(groups, len(one))
    labels = None if groups is None else within.of
    exact = values(one, other, measure)
    stats = _resampled(exact, one, other, within, measure, resampling)
    stats["exact"] = share(measure.same(one, other), labels, resampling.confidence)
    stats["adjacent"] = (
        share(measure.near(one, other), labels, resampling.confidence)
        if measure.ordered
        else undefined(UNORDERED)
    )
    return Agreement(len(one), **stats)


def alpha_between(
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    groups: Groups = None,
    measure: Measure = ORDINAL,
    resampling: Resampling = DEFAULT,
) -> Stat:
    """The `alpha` of `agreement`, without the other statistics."""
    one, other = _sides(judge, human, measure)
    exact = {"alpha": alpha_of_pairs(one, other, measure.level)}
    within = clusters(groups, len(one))
    return _resampled(exact, one, other, within, measure, resampling)["alpha"]


def _sides(judge: npt.ArrayLike, human: npt.ArrayLike, measure: Measure) -> tuple[Floats, Floats]:
    if measure.ordered:
        return number_pair(judge, human)
    _, (one, other) = codes(judge, human)
    same_length(one, other)
    return one.astype(np.float64), other.astype(np.float64)


def _resampled(
    exact: Mapping[str, float | None],
    one: Floats,
    other: Floats,
    within: Clusters,
    measure: Measure,
    resampling: Resampling,
) -> dict[str, Stat]:
    stats = {
        name: undefined(why_undefined(one, other, name, measure))
        for name, value in exact.items()
        if value is None
    }
    defined = {name: value for name, value in exact.items() if value is not None}
    none = _no_interval(one, other, within, measure) if defined else None
    if none or not defined:
        return stats | {name: Stat(value, why=none) for name, value in defined.items()}
    alone = len(exact) == 1
    plain, many = replicates(one, other, within, measure, resampling, alpha_alone=alone)
    for name, value in defined.items():
        around = around_value(name, value, plain[name], many[name])
        stats[name] = with_interval(value, around, within.count, resampling)
    return stats


def _no_interval(one: Floats, other: Floats, within: Clusters, measure: Measure) -> Reason | None:
    if within.count < FEWEST:
        return Reason("no_interval", why=Reason("few_rows", count=within.count))
    if not measure.ordered and max(one.max(), other.max()) >= MOST_NAMES:
        return Reason("no_interval", why=Reason("many_names", count=MOST_NAMES))
    return None


@dataclass(frozen=True, slots=True)
class Confusion:
    """`counts[i, j]` rows have `labels[i]` from the judge and `labels[j]` from people."""

    labels: tuple[Any, ...]
    counts: Ints


def confusion(judge: npt.ArrayLike, human: npt.ArrayLike) -> Confusion:
    """The table over every value that either side used, in order."""
    labels, (rows, columns) = codes(judge, human)
    same_length(rows, columns)
    size = len(labels)
    counts = np.bincount(rows * size + columns, minlength=size * size)
    return Confusion(labels, counts.reshape(size, size))


@dataclass(frozen=True, slots=True)
class ByGroup:
    """Means over `groups` groups; `left_out` others have a constant side, and no correlation."""

    groups: int
    left_out: int
    pearson: Stat
    spearman: Stat
    kendall: Stat


def agreement_by_group(
    judge: npt.ArrayLike, human: npt.ArrayLike, groups: Groups, resampling: Resampling = DEFAULT
) -> ByGroup:
    """Pearson, Spearman and Kendall's tau-b in each group, averaged; intervals resample groups.

    It asks whether the judge orders the answers to one question as people do, and takes no credit
    for telling easy questions from hard ones.
    """
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
