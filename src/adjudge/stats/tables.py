"""Statistics of pairs that are functions of a table of counts, for many tables at once.

A stack of tables has the shape rounds by values by values: how often the judge's value (row) met
the people's (column). Both axes list the same values, lowest first.
"""

from __future__ import annotations

import numpy as np

from adjudge.stats.arrays import Floats


def order_statistics(tables: Floats) -> dict[str, Floats]:
    """Spearman, Kendall's tau-b and ordinal alpha of each table; NaN where undefined."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "spearman": _spearman(tables, rows, columns),
            "kendall": _kendall(tables, rows, columns),
            "alpha": _ordinal_alpha(tables, rows, columns),
        }


def name_statistics(tables: Floats) -> dict[str, Floats]:
    """Exact agreement, Cohen's kappa and nominal alpha of each table; NaN where undefined."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    n = rows.sum(axis=1)
    same = np.trace(tables, axis1=1, axis2=2)
    pooled = rows + columns
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.sum(rows * columns, axis=1) / n**2
        expected = ((2 * n) ** 2 - np.sum(pooled**2, axis=1)) / (2 * n - 1)
        return {
            "exact": same / n,
            "kappa": (same / n - chance) / (1 - chance),
            "alpha": 1 - 2 * (n - same) / expected,
        }


def _spearman(tables: Floats, rows: Floats, columns: Floats) -> Floats:
    half = rows.sum(axis=1, keepdims=True) / 2
    x, y = _middle_ranks(rows) - half, _middle_ranks(columns) - half
    spread = np.sum(rows * x**2, axis=1) * np.sum(columns * y**2, axis=1)
    together: Floats = _between(tables, x, y) / np.sqrt(spread)
    return together


def _kendall(tables: Floats, rows: Floats, columns: Floats) -> Floats:
    """Each cell meets those in lower rows: the ones to its left agree with it, to its right not."""
    below = np.cumsum(tables, axis=1) - tables
    left = np.cumsum(below, axis=2)
    order = np.einsum("rij,rij->r", tables, 2 * left - below - left[:, :, -1:])
    n = rows.sum(axis=1)
    untied = [n**2 - np.sum(side**2, axis=1) for side in (rows, columns)]
    tau: Floats = 2 * order / np.sqrt(untied[0] * untied[1])
    return tau


def _ordinal_alpha(tables: Floats, rows: Floats, columns: Floats) -> Floats:
    pooled = rows + columns
    total = pooled.sum(axis=1)
    places = _middle_ranks(pooled) - total[:, None] / 2
    spread = np.sum(pooled * places**2, axis=1)
    observed = 2 * (spread - 2 * _between(tables, places, places))
    # The places are centred: their sum is 0.
    alpha: Floats = 1 - observed * (total - 1) / (2 * total * spread)
    return alpha


def _middle_ranks(counts: Floats) -> Floats:
    """The rank at the middle of each value's ties, from 0."""
    return np.cumsum(counts, axis=1) - counts / 2


def _between(tables: Floats, x: Floats, y: Floats) -> Floats:
    """The sum of x times y over the rows that each table counts."""
    total: Floats = np.sum((tables @ y[:, :, None])[:, :, 0] * x, axis=1)
    return total
