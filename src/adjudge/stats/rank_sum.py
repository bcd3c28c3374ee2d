"""Whether some rows have higher values than the others: the rank-sum test, for many sets."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from adjudge.stats.arrays import Bools, Floats, middle_ranks


def rank_sums(values: Floats, members: Bools) -> Floats:
    """One-sided p per set that its rows are not higher than the others (Mann and Whitney's test).

    `members` has a row per set and a column per value. By the normal approximation, with ties and
    continuity corrected. NaN for a set with no row or with all, and where all values are equal.
    """
    size = len(values)
    counts = members.sum(axis=1).astype(np.float64)
    _, ties = np.unique(values, return_counts=True)
    tied = float(np.sum(ties.astype(np.float64) ** 3 - ties)) / max(size * (size - 1), 1)
    above = members @ middle_ranks(values) - counts * (size + 1) / 2
    variance = counts * (size - counts) / 12 * (size + 1 - tied)
    with np.errstate(divide="ignore", invalid="ignore"):
        p: Floats = ndtr(-(above - 0.5) / np.sqrt(variance))
    return np.where(variance > 1e-9, p, np.nan)
