"""How far two orders go together: Pearson, Spearman, Kendall."""

from __future__ import annotations

import math
import warnings

import numpy as np
import numpy.typing as npt
import scipy

from adjudge.stats.arrays import middle_ranks, number_pair


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


def _varies(values: npt.NDArray[np.float64]) -> bool:
    return len(values) > 1 and bool(values.min() < values.max())


def _bounded(value: float) -> float:
    """Rounding may carry a perfect correlation beyond 1."""
    return max(-1.0, min(1.0, value))
