"""Two sets of rows that are not the same rows: how far their means are apart, and their ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtr

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Bools, Floats, middle_ranks, numbers
from adjudge.stats.bootstrap import Groups, clusters
from adjudge.stats.mean import standard_error, t_quantile
from adjudge.stats.stat import Stat, undefined, without_interval


@dataclass(frozen=True, slots=True)
class Unpaired:
    """`difference` is the mean of the first rows minus that of the second, in their own units; `p`
    is two-sided, None where there is no interval."""

    n_first: int
    n_second: int
    difference: Stat
    p: float | None


def unpaired_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    groups_first: Groups = None,
    groups_second: Groups = None,
    confidence: float = 0.95,
) -> Unpaired:
    """First minus second by Welch's t test, which lets the two spread differently.

    With groups, whole groups count: the standard errors are cluster-robust, and the degrees of
    freedom are those of the groups. The two sets are taken to be independent of each other.
    """
    one, other = numbers(first), numbers(second)
    if not len(one) or not len(other):
        return Unpaired(len(one), len(other), undefined(Reason("no_rows")), None)
    value = float(one.mean() - other.mean())
    sides = [_variance(one, groups_first), _variance(other, groups_second)]
    counts = [count for _, count in sides]
    total = sum(variance for variance, _ in sides)
    if min(counts) < 2 or total == 0:
        why = Reason("no_spread") if min(counts) < 2 else Reason("never_moves")
        return Unpaired(len(one), len(other), without_interval(value, why), None)
    freedom = total**2 / sum(variance**2 / (count - 1) for variance, count in sides)
    error = total**0.5
    p = 2 * float(stdtr(freedom, -abs(value) / error))
    stat = Stat.around(value, t_quantile(confidence, freedom) * error)
    return Unpaired(len(one), len(other), stat, p)


def _variance(rows: Floats, groups: Groups) -> tuple[float, int]:
    """The variance of the mean, and how many clusters it rests on."""
    within = clusters(groups, len(rows))
    if within.count < 2:
        return 0.0, within.count
    return standard_error(rows, within) ** 2, within.count


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
