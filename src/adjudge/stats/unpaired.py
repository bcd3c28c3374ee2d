"""Two sets of rows that are not the same rows: the difference of their means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt
from scipy.special import stdtr

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats, numbers
from adjudge.stats.clusters import Groups, clusters
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
    if min(counts) < 2:
        none = without_interval(value, Reason("no_spread"))
        return Unpaired(len(one), len(other), none, None)
    total = sum(variance for variance, _ in sides)
    if total == 0:
        none = without_interval(value, Reason("never_moves"))
        return Unpaired(len(one), len(other), none, None)
    freedom = total**2 / sum(variance**2 / (count - 1) for variance, count in sides)
    error = total**0.5
    reach = t_quantile(confidence, freedom) * error
    p = 2 * float(stdtr(freedom, -abs(value) / error))
    return Unpaired(len(one), len(other), Stat(value, value - reach, value + reach), p)


def _variance(rows: Floats, groups: Groups) -> tuple[float, int]:
    """The variance of the mean, and how many clusters it rests on."""
    within = clusters(groups, len(rows))
    if within.count < 2:
        return 0.0, within.count
    return standard_error(rows, within) ** 2, within.count
