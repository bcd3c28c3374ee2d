"""Krippendorff's alpha of several raters, with an interval that resamples items."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy

from adjudge.stats.arrays import Floats, Ints, middle_ranks
from adjudge.stats.bootstrap import FEWEST, MOST, Resampling, weights, with_interval
from adjudge.stats.clusters import Clusters
from adjudge.stats.krippendorff import Level, alpha_of, pairable
from adjudge.stats.stat import Stat, undefined

_DEFAULT = Resampling()
_BINS = 32  # Distinct values; more are binned for the interval alone, as in replicates.py.


def alpha(
    ratings: npt.ArrayLike, level: Level = "ordinal", resampling: Resampling = _DEFAULT
) -> Stat:
    """Alpha of a table items by raters, NaN where a rater gave nothing; at most 1, chance is 0.

    Names are coded as numbers first.
    """
    values, units = pairable(ratings)
    exact = alpha_of(values, units, level)
    if exact is None:
        return undefined("all values are the same" if len(values) else "no item has two values")
    items = int(units[-1]) + 1
    if items < FEWEST:
        few = "a single row" if items == 1 else f"{items} items are too few"
        return Stat(exact, why=f"no interval: {few}")
    blocks = Clusters(np.arange(items), items).at_most(MOST, resampling.seed)
    of_sets = (_nominal if level == "nominal" else _ordered)(values, units, blocks, level)
    plain = of_sets(np.ones((1, blocks.count)))[0]
    drawn = np.concatenate([of_sets(chunk) for chunk in weights(blocks.count, resampling)])
    return with_interval(exact, np.minimum(drawn + (exact - plain), 1), items, resampling)


def _nominal(values: Floats, units: Ints, blocks: Clusters, _: Level) -> Callable[[Floats], Floats]:
    counts = _counts(np.unique(values, return_inverse=True)[1], units, blocks)
    sizes = counts.sum(axis=1)
    apart = blocks.sums((sizes**2 - np.sum(counts**2, axis=1)) / (sizes - 1))
    pooled = blocks.sums(counts)

    def of_sets(drawn: Floats) -> Floats:
        margins = drawn @ pooled
        total = margins.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = (total**2 - np.sum(margins**2, axis=1)) / (total - 1)
            return np.asarray(1 - (drawn @ apart) / expected)

    return of_sets


def _ordered(
    values: Floats, units: Ints, blocks: Clusters, level: Level
) -> Callable[[Floats], Floats]:
    """An item with m values weighs 1/(m-1) in what is observed; what is expected pools all."""
    places, positions = _places(values)
    width = len(positions)
    sizes = np.bincount(units)
    lone = 1 / (sizes[units] - 1)
    cells, of = blocks.of[units], (blocks.count, width)
    pooled = _added(np.ones_like(lone), cells, places, of)
    squares = pooled + _added(lone, cells, places, of)
    pairs = _pairs(places, units, blocks, width)

    def of_sets(drawn: Floats) -> Floats:
        margins = drawn @ pooled
        total = margins.sum(axis=1, keepdims=True)
        at = np.cumsum(margins, axis=1) - margins / 2 if level == "ordinal" else positions
        at = at - np.sum(margins * at, axis=1, keepdims=True) / total
        together = (drawn @ pairs).reshape(-1, width, width)
        observed = np.sum((drawn @ squares) * at**2, axis=1)
        observed -= np.sum((together @ at[:, :, None])[:, :, 0] * at, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.sum(margins * at**2, axis=1) * total[:, 0] / (total[:, 0] - 1)
            return np.asarray(1 - observed / expected)

    return of_sets


def _pairs(places: Ints, units: Ints, blocks: Clusters, width: int) -> scipy.sparse.csr_array:
    """How often two values, also a value and itself, stand in one item, weighed; a block a row.

    Only half of the table is filled, twice as high: what it is multiplied with is symmetric.
    """
    cells, counts = np.unique(units * width + places, return_counts=True)
    unit, place = cells // width, cells % width
    weight = counts / (np.bincount(units)[unit] - 1)
    shape = (blocks.count, width * width)
    total = scipy.sparse.csr_array(shape)
    for apart in range(int(np.bincount(unit).max())):
        here = np.flatnonzero(unit[: len(unit) - apart] == unit[apart:])
        there = here + apart
        twice = 1 if apart == 0 else 2
        together = place[here] * width + place[there]
        added = twice * weight[here] * counts[there]
        total = total + _added(added, blocks.of[unit[here]], together, shape)
    return total


def _added(
    values: Floats, rows: Ints, columns: Ints, shape: tuple[int, int]
) -> scipy.sparse.csr_array:
    """A table with the values at these places, equal places added up; few are not 0."""
    return scipy.sparse.coo_array((values, (rows, columns)), shape=shape).tocsr()


def _counts(places: Ints, units: Ints, blocks: Clusters) -> Floats:
    """How often each item has each value."""
    width = int(places.max()) + 1
    cells = np.bincount(units * width + places, minlength=len(blocks.of) * width)
    return cells.reshape(-1, width).astype(np.float64)


def _places(values: Floats) -> tuple[Ints, Floats]:
    """Each value as a place among the distinct ones or bins of them, and where each place lies."""
    distinct, places = np.unique(values, return_inverse=True)
    if len(distinct) <= _BINS:
        return places, distinct
    ranks = middle_ranks(values) / len(values)
    _, binned = np.unique(np.ceil(ranks * _BINS), return_inverse=True)
    return binned, np.bincount(binned, values) / np.bincount(binned)
