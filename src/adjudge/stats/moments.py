"""Statistics of pairs that are functions of sums over rows, for many resampled sets at once."""

from __future__ import annotations

import numpy as np

from adjudge.stats.arrays import Floats


def addends(judge: Floats, human: Floats, near: Floats) -> Floats:
    """What is summed over the rows, a column each: 1, x, y, xx, yy, xy, |x-y|, x=y, near.

    Both sides are moved by their common mean, so that the squares lose no digits; no statistic
    below depends on it.
    """
    middle = (judge.mean() + human.mean()) / 2
    x, y = judge - middle, human - middle
    same = (judge == human).astype(np.float64)
    columns = [np.ones_like(x), x, y, x * x, y * y, x * y, np.abs(x - y), same, near]
    return np.stack(columns, axis=1)


def statistics(sums: Floats) -> dict[str, Floats]:
    """All that needs no ranks, of each row of sums; `alpha` is interval alpha; NaN: undefined."""
    n, x, y, xx, yy, xy, apart, same, near = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        var_x, var_y = xx / n - (x / n) ** 2, yy / n - (y / n) ** 2
        covariance = xy / n - x * y / n**2
        squared = (xx + yy - 2 * xy) / n
        pooled = 2 * n * (xx + yy) - (x + y) ** 2
        return {
            "exact": same / n,
            "adjacent": near / n,
            "bias": (x - y) / n,
            "mae": apart / n,
            "pearson": covariance / np.sqrt(_spread(var_x) * _spread(var_y)),
            "kappa": 1 - squared / _spread(var_x + var_y + ((x - y) / n) ** 2),
            "alpha": 1 - squared * n * (2 * n - 1) / _spread(pooled),
        }


def _spread(values: Floats) -> Floats:
    """NaN for what rounding left of nothing: a constant side has no spread to divide by."""
    return np.where(values > 1e-12, values, np.nan)
