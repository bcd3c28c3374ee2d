"""A ranking by strength, and how far resampling the questions would shake it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from adjudge.core.reason import Reason
from adjudge.stats import bradley_terry as bt
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.bootstrap import FEWEST, MOST, Resampling, weights, with_interval
from adjudge.stats.clusters import Clusters
from adjudge.stats.stat import Stat, undefined

_APART = Reason("ranking.apart")


@dataclass(frozen=True, slots=True)
class Contests:
    """Comparisons of `systems` systems: `first` and `second` took part, `score` is what the first
    has of it: 1 won, 0 lost, 0.5 a tie. `within` says which rest on the same question."""

    first: Ints
    second: Ints
    score: Floats
    systems: int
    within: Clusters

    def wins(self) -> Floats:
        """How often the row's system beat the column's."""
        together = Clusters(np.zeros_like(self.first), 1)
        counted: Floats = _table(self, together).toarray()
        return counted.reshape(self.systems, self.systems)


@dataclass(frozen=True, slots=True)
class Ranks:
    """By system: the strength in log-odds with mean 0, and the best and the worst place, from 1,
    that the data leave open.

    A place is closed to a system when enough others are surely stronger or weaker: when the
    interval of the difference lies on one side of 0, each pair looked at alone. `above[i, j]` says
    that i is surely stronger than j. `parts` are `bradley_terry.components`; `steadied` tells that
    half an imaginary win each way holds the strengths finite.
    """

    strength: tuple[Stat, ...]
    best: Ints
    worst: Ints
    above: Floats
    parts: Ints
    steadied: bool


def ranks(contests: Contests, resampling: Resampling) -> Ranks:
    """Strengths over all comparisons, with intervals from resampling whole questions."""
    wins, size = contests.wins(), contests.systems
    parts = bt.components(wins)
    if parts.max(initial=0) > 0:
        lost = tuple(undefined(_APART) for _ in range(size))
        every = np.ones(size, dtype=np.intp)
        return Ranks(lost, every, every * size, np.zeros((size, size)), parts, False)
    steady = not bt.has_finite_strengths(wins)
    strengths = bt.strengths(bt.with_half_wins(wins, wins) if steady else wins)
    count, replicates = _replicates(contests, wins, resampling, steady)
    strength = tuple(
        with_interval(float(value), column, count, resampling)
        for value, column in zip(strengths, replicates.T, strict=True)
    )
    above = _surely_above(strengths, replicates, count, resampling)
    worst = size - above.sum(1).astype(np.intp)
    return Ranks(strength, 1 + above.sum(0).astype(np.intp), worst, above, parts, steady)


def _replicates(
    contests: Contests, wins: Floats, resampling: Resampling, steady: bool
) -> tuple[int, Floats]:
    """The strengths of every resampled set. One without finite strengths of its own is steadied."""
    blocks = contests.within.at_most(MOST, resampling.seed)
    table, size = _table(contests, blocks), contests.systems
    rows = []
    for drawn in weights(blocks.count, resampling):
        sets = np.asarray(drawn @ table).reshape(-1, size, size)
        for at, wins_drawn in enumerate(sets):
            if steady or not bt.has_finite_strengths(wins_drawn):
                sets[at] = bt.with_half_wins(wins_drawn, wins)
        rows.append(bt.strengths(sets))
    return blocks.count, np.concatenate(rows)


def _table(contests: Contests, within: Clusters) -> scipy.sparse.csr_array:
    """Wins by cluster, a column for each ordered pair of systems."""
    size, first, second = contests.systems, contests.first, contests.second
    cells = np.concatenate([first * size + second, second * size + first])
    won = np.concatenate([contests.score, 1 - contests.score])
    at = np.concatenate([within.of, within.of])
    return scipy.sparse.coo_array((won, (at, cells)), shape=(within.count, size * size)).tocsr()


def _surely_above(
    strengths: Floats, replicates: Floats, count: int, resampling: Resampling
) -> Floats:
    size = len(strengths)
    above = np.zeros((size, size))
    if count < FEWEST:
        return above
    for i in range(size):
        for j in np.flatnonzero(strengths < strengths[i]):
            gap = with_interval(
                float(strengths[i] - strengths[j]),
                replicates[:, i] - replicates[:, j],
                count,
                resampling,
            )
            above[i, j] = gap.low is not None and gap.low > 0
    return above
