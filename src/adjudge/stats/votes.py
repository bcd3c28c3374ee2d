"""How many independent raters several raters are worth together."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats
from adjudge.stats.mean import t_quantile
from adjudge.stats.selection import FEWEST
from adjudge.stats.stat import Stat, undefined


def effective_votes(tables: Iterable[Floats], confidence: float = 0.95) -> Stat:
    """k / (1 + (k - 1) r) for k raters, whose values or errors correlate by r.

    A table has items by raters and nothing missing; of several tables, a table per name, the
    variances are added. r is the mean covariance over the mean variance, so the figure is by how
    much the mean of all raters varies less than one rater does. It is k where the raters are
    independent, 1 where all do the same, and above k where they offset each other. The interval is
    by the delta method on the logarithm.
    """
    alone: Floats = np.zeros(0)
    together: Floats = np.zeros(0)
    raters = 0
    for at, table in enumerate(tables):
        if len(table) < FEWEST:
            return undefined(Reason("few_items", count=len(table)))
        apart = table - table.mean(axis=0)
        own, joint = (apart**2).sum(axis=1), apart.sum(axis=1) ** 2
        alone, together = (alone + own, together + joint) if at else (own, joint)
        raters = table.shape[1]
    rows = len(alone)
    if not rows:
        return undefined(Reason("few_items", count=0))
    if together.mean() < 1e-12:
        return undefined(Reason("all_same"))
    votes = raters * float(alone.mean() / together.mean())
    moved = alone / alone.mean() - together / together.mean()
    spread = float(moved.std(ddof=1)) / math.sqrt(rows)
    reach = math.exp(t_quantile(confidence, rows - 1) * spread)
    return Stat(votes, votes / reach, votes * reach)
