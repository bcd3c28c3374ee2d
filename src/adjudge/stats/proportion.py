"""A share of rows with Wilson's interval, which stays honest at 0 and at 1."""

from __future__ import annotations

import math

import numpy.typing as npt
from scipy.special import ndtri

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, numbers
from adjudge.stats.clusters import Clusters, Groups, clusters
from adjudge.stats.mean import standard_error, t_quantile
from adjudge.stats.stat import Stat, undefined


def rate(hits: int, total: int, confidence: float = 0.95) -> Stat:
    """`hits` of `total` independent rows, 0-1, with Wilson's interval."""
    if not 0 <= hits <= total:
        raise UsageError(Reason("stats.no_share", hits=hits, total=total))
    if not total:
        return undefined(Reason("no_rows"))
    return wilson(hits / total, total, float(ndtri((1 + confidence) / 2)))


def share(hits: npt.ArrayLike, groups: Groups = None, confidence: float = 0.95) -> Stat:
    """The share of rows that are true, 0-1.

    With groups the rows count as no more than their effective number, p(1-p) over the
    cluster-robust variance; where all rows agree no variance can be seen, and they count as the
    groups they are in.
    """
    rows = numbers(hits)
    if groups is None or not len(rows):
        return rate(int(rows.sum()), len(rows), confidence)
    within = clusters(groups, len(rows))
    value = float(rows.mean())
    if within.count < 2:
        return Stat(value, why=Reason("no_interval", why=Reason("no_spread_group")))
    return wilson(value, effective(rows, within), t_quantile(confidence, within.count - 1))


def mean_share(shares: npt.ArrayLike, groups: Groups = None, confidence: float = 0.95) -> Stat:
    """The mean of numbers on 0-1, such as the share of an item's samples that are yes.

    They vary less than yes and no would, so they count as more rows than they are: as p(1-p) over
    the variance of their mean. Wilson's interval stays within 0 and 1, where a mean's does not.
    """
    rows = numbers(shares)
    if not len(rows):
        return undefined(Reason("no_rows"))
    within = clusters(groups, len(rows))
    value = float(rows.mean())
    if within.count < 2:
        return Stat(value, why=Reason("no_interval", why=Reason("no_spread")))
    variance = standard_error(rows, within) ** 2
    total = value * (1 - value) / variance if variance else float(within.count)
    return wilson(value, max(1.0, total), t_quantile(confidence, within.count - 1))


def effective(hits: Floats, within: Clusters) -> float:
    """How many independent rows the rows are worth; from 1 to all of them."""
    value, total = float(hits.mean()), float(len(hits))
    if within.count == len(hits):
        return total
    if within.count < 2:
        return 1.0
    variance = standard_error(hits, within) ** 2
    if variance == 0:
        return float(within.count)
    return min(total, max(1.0, value * (1 - value) / variance))


def wilson(value: float, total: float, z: float) -> Stat:
    """Wilson's score interval of a share of `total` rows, `z` standard errors to each side."""
    squared = z * z / total
    middle = (value + squared / 2) / (1 + squared)
    reach = z * math.sqrt(value * (1 - value) / total + squared / (4 * total)) / (1 + squared)
    low = 0.0 if value == 0 else max(0.0, middle - reach)
    return Stat(value, low, 1.0 if value == 1 else min(1.0, middle + reach))
