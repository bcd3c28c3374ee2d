"""How strong each system is, from who beat whom (Bradley and Terry 1952).

System i beats j with the probability 1 / (1 + exp(s_j - s_i)). A tie counts as half a win for each
side: the strengths are then those that give every system as many wins as it has.
"""

from __future__ import annotations

import numpy as np
import scipy
from scipy.special import expit

from adjudge.stats.arrays import Floats, Ints

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
