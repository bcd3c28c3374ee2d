"""Several raters of the same items: how far they agree among themselves, and what that allows.

No judge can be asked to agree with people more than people agree with each other; the ceiling says
how much that is. `effective_votes` says how many independent raters they are worth together.
Intervals resample items.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from adjudge.core.reason import Reason
from adjudge.stats.agreement import Agreement, agreement
from adjudge.stats.arrays import Floats, Ints, rating_table
from adjudge.stats.bootstrap import DEFAULT, FEWEST, Clusters, Resampling, with_interval
from adjudge.stats.combine import mean_of_raters, vote
from adjudge.stats.mean import t_quantile
from adjudge.stats.measure import (
    NAMES,
    ORDINAL,
    Many,
    Measure,
    around_value,
    replicates,
    values,
    why_undefined,
)
from adjudge.stats.selection import FEWEST as FEWEST_ITEMS
from adjudge.stats.stat import Stat, undefined

MOST_PAIRS = 60  # Beyond, pairs of raters are drawn by lot: the mean over them hardly changes.
Sides = tuple[Floats, Floats, Ints]  # one rater's values, the other's, and the items


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Agreement among raters, the statistics of `Agreement` by name.

    `pairwise` is the mean over pairs of raters, `leave_one_out` the mean over raters of each one's
    agreement with the others together, and `raters` that agreement for each, in order. The others
    together are their mean, or for names the one that most of them gave; an item where no single
    name leads is left out.
    """

    pairwise: dict[str, Stat]
    leave_one_out: dict[str, Stat]
    raters: tuple[Agreement, ...]


def ceiling(
    ratings: npt.ArrayLike, measure: Measure = ORDINAL, resampling: Resampling = DEFAULT
) -> Ceiling:
    """The ceiling of a table items by raters, NaN where a rater gave nothing.

    Names are coded as numbers first.
    """
    table = rating_table(ratings)
    raters = range(table.shape[1])
    pairs = list(combinations(raters, 2))
    if len(pairs) > MOST_PAIRS:
        lot = np.random.default_rng(resampling.seed).permutation(len(pairs))[:MOST_PAIRS]
        pairs = [pairs[place] for place in sorted(lot)]
    among = [_both(table[:, one], table[:, other]) for one, other in pairs]
    # One item in common says nothing of two people: where others have more, they are asked.
    among = [sides for sides in among if len(sides[0]) >= FEWEST] or among
    alone = [_both(table[:, one], _others(table, one, measure)) for one in raters]
    return Ceiling(
        _averaged(among, len(table), measure, resampling),
        _averaged(alone, len(table), measure, resampling),
        tuple(agreement(one, other, None, measure, resampling) for one, other, _ in alone),
    )


def _both(one: Floats, other: Floats) -> Sides:
    here = np.isfinite(one) & np.isfinite(other)
    return one[here], other[here], np.flatnonzero(here)


def _others(table: Floats, rater: int, measure: Measure) -> Floats:
    """What the raters but one say together of each item; NaN where they say nothing."""
    rest = np.delete(table, rater, axis=1)
    return mean_of_raters(rest) if measure.ordered else vote(rest)[0]


def _averaged(
    sides: Sequence[Sides], items: int, measure: Measure, resampling: Resampling
) -> dict[str, Stat]:
    """The mean of each statistic over the comparisons in which it is defined."""
    sides = [side for side in sides if len(side[0])]
    exact = [values(one, other, measure) for one, other, _ in sides]
    many = (
        [
            _moved(exact[place], *replicates(one, other, Clusters(of, items), measure, resampling))
            for place, (one, other, of) in enumerate(sides)
        ]
        if items >= FEWEST
        else []
    )
    averages = {}
    for name in NAMES:
        kept = [place for place, statistics in enumerate(exact) if statistics[name] is not None]
        if not kept:
            averages[name] = undefined(_why(sides, name, measure))
            continue
        value = float(np.mean([exact[place][name] for place in kept]))
        drawn = np.mean([many[place][name] for place in kept], axis=0) if many else np.empty(0)
        averages[name] = with_interval(value, drawn, items, resampling)
    return averages


def _moved(exact: dict[str, float | None], plain: Many, many: Many) -> Many:
    """Those of the statistics that are defined."""
    return {
        name: around_value(name, value, plain[name], many[name])
        for name, value in exact.items()
        if value is not None
    }


def _why(sides: Sequence[Sides], name: str, measure: Measure) -> Reason:
    if not sides:
        return Reason("no_two_raters")
    one, other, _ = sides[0]
    why = why_undefined(one, other, name, measure)
    constant = why.code in {"judge_constant", "people_constant"}
    return Reason("raters_constant") if constant else why


def effective_votes(tables: Iterable[Floats]) -> Stat:
    """k / (1 + (k - 1) r) for k raters, whose values or errors correlate by r.

    A table has items by raters and nothing missing; of several tables, a table per name, the
    variances are added. r is the mean covariance over the mean variance, so the figure is by how
    much the mean of all raters varies less than one rater does. It is k where the raters are
    independent, 1 where all do the same, and above k where they offset each other. The interval is
    by the delta method on the logarithm, at 95%.
    """
    alone: Floats = np.zeros(0)
    together: Floats = np.zeros(0)
    raters = 0
    for at, table in enumerate(tables):
        if len(table) < FEWEST_ITEMS:
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
    reach = math.exp(t_quantile(0.95, rows - 1) * spread)
    return Stat(votes, votes / reach, votes * reach)
