"""Rows that belong together, and intervals by resampling such clusters as a whole.

The interval is the percentile interval with the tails moved out as Student's t moves them
(Hesterberg 2015, "What teachers should know about the bootstrap"): the plain one is too short by a
factor of sqrt((n-1)/n) and takes the normal quantile for t's, which shows below a hundred clusters.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtrit

from adjudge.core.reason import Reason, check_share
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.stat import Stat, without_interval

FEWEST = 5  # Clusters: resampling fewer says next to nothing.
MOST = 10_000  # Blocks resampled; see Clusters.at_most.
# Draws: so few that they stay in the processor's cache, and that it is not worth waking a thread on
# every core to multiply them, which takes ten times as long on a busy machine.
_AT_ONCE = 25_000
_DEFINED = 0.95  # Share of the rounds in which a statistic must exist.


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: confidence in (0, 1), rounds of resampling, seed of chance."""

    confidence: float = 0.95
    rounds: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        check_share("confidence", self.confidence, 0.95)
        if self.rounds < 100:
            raise UsageError(Reason("options.rounds", rounds=self.rounds))


DEFAULT = Resampling()


def weights(count: int, resampling: Resampling) -> Iterator[Floats]:
    """How often each of `count` clusters is drawn, a row per round, some rounds at a time."""
    chance = np.random.default_rng(resampling.seed)
    rows = min(max(1, _AT_ONCE // count), 100)
    for start in range(0, resampling.rounds, rows):
        size = min(rows, resampling.rounds - start)
        drawn = chance.integers(count, size=(size, count))
        drawn += np.arange(size)[:, None] * count
        yield np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count).astype(float)


def with_interval(value: float, replicates: Floats, count: int, resampling: Resampling) -> Stat:
    """The value with the interval that its replicates over `count` clusters give.

    Replicates of a skewed statistic can all but miss the value; the interval is widened to hold it.
    """
    if count < FEWEST:
        return without_interval(value, Reason("few_rows", count=count))
    defined = replicates[np.isfinite(replicates)]
    if len(defined) < _DEFINED * len(replicates):
        return without_interval(value, Reason("often_undefined"))
    if np.ptp(defined) < 1e-12:
        return without_interval(value, Reason("never_moves"))
    tail = _tail(count, resampling.confidence)
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Stat(value, min(value, float(low)), max(value, float(high)))


def _tail(count: int, confidence: float) -> float:
    """The share beyond each end, moved out for the few clusters there are."""
    reach = stdtrit(count - 1, (1 - confidence) / 2) * math.sqrt(count / (count - 1))
    return float(ndtr(reach))


Groups = Iterable[Hashable] | None


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of each row, counted from 0, and how many there are."""

    of: Ints
    count: int

    def sums(self, values: Floats) -> Floats:
        """The sum of `values` (a column, or rows by columns) within each cluster."""
        if values.ndim == 1:
            return np.bincount(self.of, values, self.count).astype(np.float64, copy=False)
        return np.stack([self.sums(column) for column in values.T], axis=1)

    def at_most(self, most: int, seed: int) -> Clusters:
        """The clusters themselves, or, where there are more, dealt by lot into `most` blocks.

        A block of independent clusters is as good a unit of resampling as a cluster; with thousands
        of them the variance is known to a percent, and a round costs no more.
        """
        if self.count <= most:
            return self
        lot = np.random.default_rng(seed).permutation(self.count) % most
        return Clusters(lot[self.of], most)


def clusters(groups: Groups, rows: int) -> Clusters:
    """Rows with equal labels share a cluster; without labels each row is its own."""
    if groups is None:
        return Clusters(np.arange(rows), rows)
    known: dict[Hashable, int] = {}
    listed = groups.tolist() if isinstance(groups, np.ndarray) else groups
    of = np.array([known.setdefault(label, len(known)) for label in listed], dtype=np.intp)
    if len(of) != rows:
        raise UsageError(Reason("stats.groups", groups=len(of), rows=rows))
    return Clusters(of, len(known))
