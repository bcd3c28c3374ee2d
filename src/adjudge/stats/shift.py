"""How far a probe moves a judge: how often the value changes, and by how much on average."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adjudge.stats.arrays import codes, number_pair, same_length
from adjudge.stats.clusters import Groups
from adjudge.stats.mean import mean
from adjudge.stats.proportion import share
from adjudge.stats.stat import Stat


def flip_rate(
    before: npt.ArrayLike, after: npt.ArrayLike, groups: Groups = None, confidence: float = 0.95
) -> Stat:
    """The share of rows whose value changed, 0-1, with Wilson's interval; values of any kind."""
    _, (one, other) = codes(before, after)
    same_length(one, other)
    return share(np.asarray(one != other, dtype=np.float64), groups, confidence)


def mean_shift(
    before: npt.ArrayLike, after: npt.ArrayLike, groups: Groups = None, confidence: float = 0.95
) -> Stat:
    """The mean of after minus before, in the units given: on values from 0 to 1 it is -1 to 1."""
    one, other = number_pair(before, after)
    return mean(other - one, groups, confidence)
