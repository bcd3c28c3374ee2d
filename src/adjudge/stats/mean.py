"""Means and shares with intervals that count clusters, not rows.

A mean has Student's interval, a share Wilson's, which stays honest at 0 and at 1. `bounds` says
what the mean could be at worst and at best, were the unscored rows scored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, numbers
from adjudge.stats.bootstrap import Clusters, Groups, clusters
from adjudge.stats.samples import moments
from adjudge.stats.stat import Stat, undefined, without_interval


def mean(values: npt.ArrayLike, groups: Groups = None, confidence: float = 0.95) -> Stat:
    """The mean of the rows, in their own units.

    The interval is Student's with clusters minus one degrees of freedom and the cluster-robust
    standard error; without groups that is the classical t interval.
    """
    rows = numbers(values)
    if not len(rows):
        return undefined(Reason("no_rows"))
    within = clusters(groups, len(rows))
    value = moments(rows.tolist())[0]
    if within.count < 2:
        return without_interval(value, Reason("no_spread"))
    return Stat.around(
        value, t_quantile(confidence, within.count - 1) * standard_error(rows, within)
    )


def standard_error(rows: Floats, within: Clusters) -> float:
    """The cluster-robust standard error of the mean; needs two clusters."""
    sums = within.sums(rows - rows.mean())
    # Not by np.dot, which wakes a thread on every core for it.
    squares = float(np.square(sums).sum())
    return math.sqrt(within.count / (within.count - 1) * squares) / len(rows)


def t_quantile(confidence: float, freedom: float) -> float:
    """How many standard errors a two-sided interval reaches to each side."""
    return float(stdtrit(freedom, (1 + confidence) / 2))


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
    value = moments(rows.tolist())[0]
    if within.count < 2:
        return without_interval(value, Reason("no_spread_group"))
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
    value = moments(rows.tolist())[0]
    if within.count < 2:
        return without_interval(value, Reason("no_spread"))
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


@dataclass(frozen=True, slots=True)
class Bounds:
    """`mean` is over the scored rows alone; it lies between `worst` and `best` over all rows."""

    worst: float | None
    mean: float | None
    best: float | None


def bounds(values: npt.ArrayLike, unscored: int, lowest: float, highest: float) -> Bounds:
    """The mean if every unscored row had the scale's lowest value, and if it had the highest.

    In units of the scale; without any assumption about why rows went unscored. `mean` is None
    without scored rows, the others without rows at all.
    """
    scored = numbers(values)
    if unscored < 0 or lowest > highest:
        raise UsageError(Reason("stats.bounds", unscored=unscored, lowest=lowest, highest=highest))
    outside = scored[(scored < lowest) | (scored > highest)]
    if len(outside):
        raise UsageError(
            Reason("stats.outside", value=str(outside[0]), lowest=lowest, highest=highest)
        )
    rows = len(scored) + unscored
    if not rows:
        return Bounds(None, None, None)
    total = float(scored.sum())
    return Bounds(
        (total + unscored * lowest) / rows,
        total / len(scored) if len(scored) else None,
        (total + unscored * highest) / rows,
    )
