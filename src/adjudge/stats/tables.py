"""Pairs of values of many resampled sets: as tables of counts, and as sums over rows.

Statistics of a set are functions of one of the two, so that no round of resampling looks at the
rows again. The functions stand beside the plain forms, in correlation.py, kappa.py and alpha.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from adjudge.stats.arrays import Floats


class PairTables(NamedTuple):
    """`counts` has the shape sets by values by values: how often the judge's value (row) met the
    people's (column). Both axes list the same values, lowest first. `rows` and `columns` are its
    sums over the other axis."""

    counts: Floats
    rows: Floats
    columns: Floats

    @classmethod
    def of(cls, counts: Floats) -> PairTables:
        return cls(counts, counts.sum(axis=2), counts.sum(axis=1))

    @property
    def n(self) -> Floats:
        """How many pairs each set has."""
        return np.asarray(self.rows.sum(axis=1))

    @property
    def same(self) -> Floats:
        """How many pairs of equal values each set has."""
        return np.asarray(np.trace(self.counts, axis1=1, axis2=2))

    def between(self, x: Floats, y: Floats) -> Floats:
        """The sum of x times y over the pairs of each set; x and y have a number per value."""
        return np.asarray(np.sum((self.counts @ y[:, :, None])[:, :, 0] * x, axis=1))


class PairSums(NamedTuple):
    """Sums over the pairs of each set: their number, x, y, xx, yy, xy, |x-y|, x=y, near.

    Both sides are moved by their common mean first, so that the squares lose no digits; no
    statistic depends on it.
    """

    n: Floats
    x: Floats
    y: Floats
    xx: Floats
    yy: Floats
    xy: Floats
    apart: Floats
    same: Floats
    near: Floats

    @property
    def squared(self) -> Floats:
        """The mean of the squared distances."""
        return (self.xx + self.yy - 2 * self.xy) / self.n

    @property
    def variances(self) -> tuple[Floats, Floats]:
        return self.xx / self.n - (self.x / self.n) ** 2, self.yy / self.n - (self.y / self.n) ** 2


def addends(judge: Floats, human: Floats, near: Floats) -> Floats:
    """What `PairSums` sums, in a column per sum."""
    middle = (judge.mean() + human.mean()) / 2
    x, y = judge - middle, human - middle
    same = (judge == human).astype(np.float64)
    columns = [np.ones_like(x), x, y, x * x, y * y, x * y, np.abs(x - y), same, near]
    return np.stack(columns, axis=1)


def middle_places(counts: Floats) -> Floats:
    """The rank at the middle of each value's ties, from 0, by set."""
    return np.cumsum(counts, axis=1) - counts / 2


def spread_or_nan(values: Floats) -> Floats:
    """NaN for what rounding left of nothing: a constant side has no spread to divide by."""
    return np.where(values > 1e-12, values, np.nan)
