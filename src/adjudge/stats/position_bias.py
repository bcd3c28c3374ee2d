"""Whether a judge that sees two answers in both orders goes by the place they have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.core.reason import Reason
from adjudge.stats.agreement import agreement
from adjudge.stats.arrays import number_pair
from adjudge.stats.bootstrap import DEFAULT, Groups, Resampling, clusters
from adjudge.stats.mean import share
from adjudge.stats.measure import Measure
from adjudge.stats.stat import Stat, undefined


@dataclass(frozen=True, slots=True)
class PositionBias:
    """What the two orders of `n` pairs say about each other.

    `first` is how often the answer shown first won, of all times that one won, over both orders:
    0.5 without bias. `agreement` is the share of pairs judged the same in both orders and `kappa`
    that agreement beyond chance. `disagreed` counts the others; in `reversed` of them each order
    named another winner, in the rest one called a tie.
    """

    n: int
    first: Stat
    agreement: Stat
    kappa: Stat
    disagreed: int
    reversed: int


def position_bias(
    ab: npt.ArrayLike,
    ba: npt.ArrayLike,
    groups: Groups = None,
    resampling: Resampling = DEFAULT,
) -> PositionBias:
    """`ab` and `ba` are who won in each order: 1 answer A, -1 answer B, 0 neither.

    In the order "ab" A was shown first, in "ba" B. Groups are resampled whole.
    """
    one, other = number_pair(ab, ba)
    within = clusters(groups, len(one))
    alike = agreement(one, other, within.of, Measure("nominal"), resampling)
    shown_first = np.concatenate([one, -other])
    decided = shown_first != 0
    hits = shown_first[decided] > 0
    looks = np.concatenate([within.of, within.of])[decided]
    first = (
        share(hits, looks, resampling.confidence) if len(hits) else undefined(Reason("only_ties"))
    )
    return PositionBias(
        n=len(one),
        first=first,
        agreement=alike.exact,
        kappa=alike.kappa,
        disagreed=int(np.sum(one != other)),
        reversed=int(np.sum(one * other < 0)),
    )
