"""The mean with a t interval that counts clusters, not rows."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats, numbers
from adjudge.stats.clusters import Clusters, Groups, clusters
from adjudge.stats.stat import Stat, undefined


def mean(values: npt.ArrayLike, groups: Groups = None, confidence: float = 0.95) -> Stat:
    """The mean of the rows, in their own units.

    The interval is Student's with clusters minus one degrees of freedom and the cluster-robust
    standard error; without groups that is the classical t interval.
    """
    rows = numbers(values)
    if not len(rows):
        return undefined(Reason("no_rows"))
    within = clusters(groups, len(rows))
    value = float(rows.mean())
    if within.count < 2:
        return Stat(value, why=Reason("no_interval", why=Reason("no_spread")))
    reach = t_quantile(confidence, within.count - 1) * standard_error(rows, within)
    return Stat(value, value - reach, value + reach)


def standard_error(rows: Floats, within: Clusters) -> float:
    """The cluster-robust standard error of the mean; needs two clusters."""
    sums = within.sums(rows - rows.mean())
    # Not by np.dot, which wakes a thread on every core for it.
    squares = float(np.square(sums).sum())
    return math.sqrt(within.count / (within.count - 1) * squares) / len(rows)


def t_quantile(confidence: float, freedom: int) -> float:
    """How many standard errors a two-sided interval reaches to each side."""
    return float(stdtrit(freedom, (1 + confidence) / 2))
