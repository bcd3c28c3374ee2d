"""How far two orders go together: Pearson, Spearman, Kendall.

The plain forms take two vectors. The fast ones take many pairs of vectors at once: resampled sets
(`pearsons`, `spearmans`, `kendalls`), or the rows of two tables (`correlations_by_row`).
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import numpy.typing as npt
import scipy

from adjudge.stats.arrays import Floats, middle_ranks, number_pair
from adjudge.stats.tables import PairSums, PairTables, middle_places, spread_or_nan

_SMALL = 64  # Rows: up to here all pairs of a vector are compared at once.


def pearson(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Linear correlation, -1 to 1; None below two rows and where a side is constant."""
    one, other = number_pair(first, second)
    if not (_varies(one) and _varies(other)):
        return None
    # Scaled first: squares of values near the ends of what a float holds would overflow or vanish.
    one, other = one / np.abs(one).max(), other / np.abs(other).max()
    one, other = one - one.mean(), other - other.mean()
    below = math.sqrt(float(np.dot(one, one))) * math.sqrt(float(np.dot(other, other)))
    return _bounded(float(np.dot(one, other)) / below) if below > 0 else None


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Pearson's correlation of the ranks, ties sharing their middle rank; None as Pearson's."""
    one, other = number_pair(first, second)
    return pearson(middle_ranks(one), middle_ranks(other))


def kendall(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Kendall's tau-b, -1 to 1, which takes ties into account; None as Pearson's.

    Takes n log n steps.
    """
    one, other = number_pair(first, second)
    if not (_varies(one) and _varies(other)):
        return None
    with warnings.catch_warnings():
        # Only about the p-value, which is not taken.
        warnings.simplefilter("ignore", RuntimeWarning)
        return _bounded(float(scipy.stats.kendalltau(one, other).statistic))


def pearsons(sums: PairSums) -> Floats:
    """`pearson` of each set; NaN where undefined."""
    var_x, var_y = (spread_or_nan(variance) for variance in sums.variances)
    covariance = sums.xy / sums.n - sums.x * sums.y / sums.n**2
    return np.asarray(covariance / np.sqrt(var_x * var_y))


def spearmans(tables: PairTables) -> Floats:
    """`spearman` of each set; NaN where undefined."""
    half = tables.n[:, None] / 2
    x, y = middle_places(tables.rows) - half, middle_places(tables.columns) - half
    spread = np.sum(tables.rows * x**2, axis=1) * np.sum(tables.columns * y**2, axis=1)
    return np.asarray(tables.between(x, y) / np.sqrt(spread))


def kendalls(tables: PairTables) -> Floats:
    """`kendall` of each set; NaN where undefined.

    Each cell meets those in lower rows: the ones to its left agree with it, to its right not.
    """
    counts = tables.counts
    below = np.cumsum(counts, axis=1) - counts
    left = np.cumsum(below, axis=2)
    order = np.einsum("rij,rij->r", counts, 2 * left - below - left[:, :, -1:])
    n = tables.n
    untied = [n**2 - np.sum(side**2, axis=1) for side in (tables.rows, tables.columns)]
    return np.asarray(2 * order / np.sqrt(untied[0] * untied[1]))


def correlations_by_row(one: Floats, other: Floats) -> Floats:
    """Pearson, Spearman and Kendall of each row of two tables, NaN where a side is constant."""
    varying = (np.ptp(one, axis=1) > 0) & (np.ptp(other, axis=1) > 0)
    coefficients = np.full((len(one), 3), np.nan)
    one, other = one[varying], other[varying]
    if not len(one):
        return coefficients
    ranks = scipy.stats.rankdata(one, axis=1), scipy.stats.rankdata(other, axis=1)
    coefficients[varying] = np.stack(
        [_pearson_by_row(one, other), _pearson_by_row(*ranks), _kendall_by_row(one, other)], axis=1
    )
    return coefficients


def _pearson_by_row(one: Floats, other: Floats) -> Floats:
    one = one - one.mean(axis=1, keepdims=True)
    other = other - other.mean(axis=1, keepdims=True)
    return _cosine(one, other)


def _kendall_by_row(one: Floats, other: Floats) -> Floats:
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


def _varies(values: npt.NDArray[np.float64]) -> bool:
    return len(values) > 1 and bool(values.min() < values.max())


def _bounded(value: float) -> float:
    """Rounding may carry a perfect correlation beyond 1."""
    return max(-1.0, min(1.0, value))
