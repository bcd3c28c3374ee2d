"""How strong each system is, from who beat whom (Bradley and Terry 1952).

System i beats j with the probability 1 / (1 + exp(s_j - s_i)). A tie counts as half a win for each
side: the strengths are then those that give every system as many wins as it has. `ranks` says how
far resampling the questions would shake the order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import expit

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.bootstrap import FEWEST, MOST, Clusters, Resampling, weights, with_interval
from adjudge.stats.stat import Stat, undefined

_STEP = 2.0  # log-odds that one step may go: far from the top Newton's are too long
_STEPS = 100
_CLOSE = 1e-9


def strengths(wins: Floats) -> Floats:
    """The strengths that make the wins most likely, in log-odds, with mean 0.

    `wins[..., i, j]` is how often i beat j; leading axes are fitted one by one. They exist only
    where `bounded` says so; elsewhere the result means nothing.
    """
    size = wins.shape[-1]
    games = wins + np.swapaxes(wins, -1, -2)
    strength = np.zeros(wins.shape[:-1])
    for _ in range(_STEPS):
        odds = expit(strength[..., :, None] - strength[..., None, :])
        slope = (wins - games * odds).sum(-1)
        bend = games * odds * (1 - odds)
        # Strengths are known up to a constant; the added ones hold their mean at 0.
        curve = np.eye(size) * bend.sum(-1)[..., None] - bend + 1 / size
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        longest = np.abs(step).max(-1, keepdims=True)
        strength = strength + step * np.minimum(1, _STEP / np.maximum(longest, _STEP))
        if longest.max() < _CLOSE:
            break
    return np.asarray(strength - strength.mean(-1, keepdims=True))


def has_finite_strengths(wins: Floats) -> bool:
    """Whether finite strengths exist: from each system a chain of wins leads to every other."""
    return bool(_parts(wins, "strong").max() == 0)


def components(wins: Floats) -> Ints:
    """The part of each system, counted from 0: parts were never compared with each other."""
    return _parts(wins, "weak")


def unbeaten(wins: Floats) -> tuple[Ints, Ints]:
    """Where strengths have no bound: the systems that never lost to any of the others, and those
    that never won against them. "Others" are all that a chain of wins does not lead back from."""
    group = _parts(wins, "strong")
    across = (wins > 0) & (group[:, None] != group[None, :])
    beats = np.array([across[group == part].any() for part in group])
    loses = np.array([across[:, group == part].any() for part in group])
    return np.flatnonzero(beats & ~loses), np.flatnonzero(loses & ~beats)


def with_half_wins(wins: Floats, compared: Floats) -> Floats:
    """The wins with half an imaginary one each way for every pair that was `compared`.

    Finite strengths then exist wherever the systems hang together.
    """
    met = compared + np.swapaxes(compared, -1, -2) > 0
    return np.asarray(wins + 0.5 * met)


def _parts(wins: Floats, connection: str) -> Ints:
    _, labels = scipy.sparse.csgraph.connected_components(
        scipy.sparse.csr_array(wins > 0), directed=True, connection=connection
    )
    return np.asarray(labels, dtype=np.intp)


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
    that i is surely stronger than j. `parts` are `components`; `steadied` tells that
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
    parts = components(wins)
    if parts.max(initial=0) > 0:
        lost = tuple(undefined(_APART) for _ in range(size))
        every = np.ones(size, dtype=np.intp)
        return Ranks(lost, every, every * size, np.zeros((size, size)), parts, False)
    steady = not has_finite_strengths(wins)
    fitted = strengths(with_half_wins(wins, wins) if steady else wins)
    count, replicates = _replicates(contests, wins, resampling, steady)
    strength = tuple(
        with_interval(float(value), column, count, resampling)
        for value, column in zip(fitted, replicates.T, strict=True)
    )
    above = _surely_above(fitted, replicates, count, resampling)
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
            if steady or not has_finite_strengths(wins_drawn):
                sets[at] = with_half_wins(wins_drawn, wins)
        rows.append(strengths(sets))
    return blocks.count, np.concatenate(rows)


def _table(contests: Contests, within: Clusters) -> scipy.sparse.csr_array:
    """Wins by cluster, a column for each ordered pair of systems."""
    size, first, second = contests.systems, contests.first, contests.second
    cells = np.concatenate([first * size + second, second * size + first])
    won = np.concatenate([contests.score, 1 - contests.score])
    at = np.concatenate([within.of, within.of])
    return scipy.sparse.coo_array((won, (at, cells)), shape=(within.count, size * size)).tocsr()


def _surely_above(fitted: Floats, replicates: Floats, count: int, resampling: Resampling) -> Floats:
    above = np.zeros((len(fitted), len(fitted)))
    for i in range(len(fitted)) if count >= FEWEST else ():
        for j in np.flatnonzero(fitted < fitted[i]):
            gaps = replicates[:, i] - replicates[:, j]
            gap = with_interval(float(fitted[i] - fitted[j]), gaps, count, resampling)
            above[i, j] = gap.low is not None and gap.low > 0
    return above
