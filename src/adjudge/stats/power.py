"""How many pairs show a difference of a given size, and how likely given pairs are to show it."""

from __future__ import annotations

import math
from bisect import bisect_left

import scipy
from scipy.special import ndtr, ndtri, stdtrit

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

_NORMAL = 10_000  # Pairs beyond which t is normal to all digits that matter.
MOST = 10**12


def power_of(pairs: int, difference: float, sd: float, alpha: float = 0.05) -> float:
    """The chance, 0-1, that a two-sided paired t-test at `alpha` finds a true difference.

    `sd` is the standard deviation of the paired differences, in the units of `difference`.
    """
    _check(sd, alpha)
    if pairs < 2:
        return 0.0
    if difference == 0:
        return alpha
    away = abs(difference) / sd * math.sqrt(pairs)
    if pairs > _NORMAL:
        edge = ndtri(1 - alpha / 2)
        return float(ndtr(away - edge) + ndtr(-edge - away))
    edge = stdtrit(pairs - 1, 1 - alpha / 2)
    hits = scipy.stats.nct.sf(edge, pairs - 1, away)
    # Far from 0 the other tail is nothing, and the noncentral t cannot be had there.
    other = scipy.stats.nct.cdf(-edge, pairs - 1, away) if away < 5 else 0.0
    return float(min(1.0, hits + other)) if math.isfinite(hits) else 1.0


def pairs_needed(
    difference: float, sd: float, *, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """The fewest pairs that find a true difference with the given power; None beyond 10**12."""
    _check(sd, alpha)
    if not alpha < power < 1:
        raise UsageError(Reason("stats.power", power=power, alpha=alpha))

    def finds(pairs: int) -> bool:
        return power_of(pairs, difference, sd, alpha) >= power

    most = 2
    while not finds(most):
        most *= 2
        if most > MOST:
            return None
    return bisect_left(range(most + 1), True, most // 2, most, key=finds)


def _check(sd: float, alpha: float) -> None:
    if not sd > 0:
        raise UsageError(Reason("stats.deviation", sd=sd))
    if not 0 < alpha < 1:
        raise UsageError(Reason("stats.alpha", alpha=alpha))
