"""Krippendorff's alpha: any number of raters, gaps, and names, orders or numbers.

Alpha is 1 - observed / expected disagreement over pairs of values (Krippendorff 2011, "Computing
Krippendorff's alpha-reliability"). On an ordinal scale the distance of two values is the number of
values between them, half of each end counted: the distance of their middle ranks. So ordinal alpha
is interval alpha of the ranks, and both need sums of squares only, never a table of all values.

The plain form takes values with their items (`alpha_of`). The fast ones take many resampled sets at
once: of pairs (`nominal_alphas`, `ordinal_alphas`, `interval_alphas`), or of items with any number
of values, which `alpha` makes its interval from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints, middle_ranks, rating_table
from adjudge.stats.bootstrap import (
    DEFAULT,
    FEWEST,
    MOST,
    Clusters,
    Resampling,
    weights,
    with_interval,
)
from adjudge.stats.stat import Stat, undefined, without_interval
from adjudge.stats.tables import PairSums, PairTables, middle_places, spread_or_nan

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
_BINS = 32  # Distinct values; more are binned for the interval alone, as in measure.py.


def pairable(ratings: npt.ArrayLike) -> tuple[Floats, Ints]:
    """The values of items that have at least two, and the item of each, counted from 0."""
    table = rating_table(ratings)
    here = np.isfinite(table)
    here &= (here.sum(axis=1) >= 2)[:, None]
    _, units = np.unique(np.nonzero(here)[0], return_inverse=True)
    return table[here], units


def alpha_of(values: Floats, units: Ints, level: Level) -> float | None:
    """Alpha of values in long form; every unit has at least two of them.

    1 is perfect, 0 is chance, below 0 is systematic disagreement. None without values, and where
    all of them are the same.
    """
    if level not in LEVELS:
        raise UsageError(Reason("stats.level", level=level, known=tuple(LEVELS)))
    if not len(values) or values.min() == values.max():
        return None
    if level == "nominal":
        return _nominal(values, units)
    places = middle_ranks(values) if level == "ordinal" else values
    # Centred and scaled: alpha does not change, and the squares lose no digits.
    places = (places - places.mean()) / np.ptp(places)
    sizes = np.bincount(units)
    sums, squares = np.bincount(units, places), np.bincount(units, places**2)
    observed = float(np.sum((sizes * squares - sums**2) / (sizes - 1)))
    expected = (len(places) * float(squares.sum()) - float(sums.sum()) ** 2) / (len(places) - 1)
    return 1 - observed / expected


def _nominal(values: Floats, units: Ints) -> float:
    labels, names = np.unique(values, return_inverse=True)
    sizes = np.bincount(units)
    cells, counts = np.unique(units * len(labels) + names, return_counts=True)
    same = np.bincount(cells // len(labels), counts.astype(np.float64) ** 2)
    observed = float(np.sum((sizes**2 - same) / (sizes - 1)))
    total = float(len(values))
    margins = np.bincount(names).astype(np.float64)
    expected = (total**2 - float(np.dot(margins, margins))) / (total - 1)
    return 1 - observed / expected


def alpha_of_pairs(one: Floats, other: Floats, level: Level) -> float | None:
    """Alpha of two raters without gaps."""
    return alpha_of(np.concatenate([one, other]), np.tile(np.arange(len(one)), 2), level)


def nominal_alphas(tables: PairTables) -> Floats:
    """`alpha_of_pairs` of each set of names; NaN where undefined."""
    n = tables.n
    pooled = tables.rows + tables.columns
    expected = ((2 * n) ** 2 - np.sum(pooled**2, axis=1)) / (2 * n - 1)
    return np.asarray(1 - 2 * (n - tables.same) / expected)


def ordinal_alphas(tables: PairTables) -> Floats:
    """`alpha_of_pairs` of each set, by order; NaN where undefined."""
    pooled = tables.rows + tables.columns
    total = pooled.sum(axis=1)
    places = middle_places(pooled) - total[:, None] / 2
    spread = np.sum(pooled * places**2, axis=1)
    observed = 2 * (spread - 2 * tables.between(places, places))
    # The places are centred: their sum is 0.
    return np.asarray(1 - observed * (total - 1) / (2 * total * spread))


def interval_alphas(sums: PairSums) -> Floats:
    """`alpha_of_pairs` of each set, by distance; NaN where undefined."""
    n = sums.n
    pooled = spread_or_nan(2 * n * (sums.xx + sums.yy) - (sums.x + sums.y) ** 2)
    return np.asarray(1 - sums.squared * n * (2 * n - 1) / pooled)


def alpha(
    ratings: npt.ArrayLike, level: Level = "ordinal", resampling: Resampling = DEFAULT
) -> Stat:
    """Alpha of a table items by raters, NaN where a rater gave nothing; at most 1, chance is 0.

    Names are coded as numbers first.
    """
    values, units = pairable(ratings)
    exact = alpha_of(values, units, level)
    if exact is None:
        return undefined(Reason("all_same") if len(values) else Reason("no_item_twice"))
    items = int(units[-1]) + 1
    if items < FEWEST:
        few = Reason("one_row") if items == 1 else Reason("few_items", count=items)
        return without_interval(exact, few)
    blocks = Clusters(np.arange(items), items).at_most(MOST, resampling.seed)
    of_sets = (_nominal_sets if level == "nominal" else _ordered_sets)(values, units, blocks, level)
    plain = of_sets(np.ones((1, blocks.count)))[0]
    drawn = np.concatenate([of_sets(chunk) for chunk in weights(blocks.count, resampling)])
    return with_interval(exact, np.minimum(drawn + (exact - plain), 1), items, resampling)


def _nominal_sets(
    values: Floats, units: Ints, blocks: Clusters, _: Level
) -> Callable[[Floats], Floats]:
    names = np.unique(values, return_inverse=True)[1]
    width = int(names.max()) + 1
    cells = np.bincount(units * width + names, minlength=len(blocks.of) * width)
    counts = cells.reshape(-1, width).astype(np.float64)  # how often each item has each name
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


def _ordered_sets(
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
    """How often two values, also a value and itself, stand in one item, weighed; a row per block.

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


def _places(values: Floats) -> tuple[Ints, Floats]:
    """Each value as a place among the distinct ones or bins of them, and where each place lies."""
    distinct, places = np.unique(values, return_inverse=True)
    if len(distinct) <= _BINS:
        return places, distinct
    ranks = middle_ranks(values) / len(values)
    _, binned = np.unique(np.ceil(ranks * _BINS), return_inverse=True)
    return binned, np.bincount(binned, values) / np.bincount(binned)
