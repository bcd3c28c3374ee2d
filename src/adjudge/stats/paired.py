"""Two runs on the same rows: the paired difference, whether chance alone would make it, and how
many pairs show one of a given size."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import ndtr, ndtri, stdtrit

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, number_pair
from adjudge.stats.bootstrap import (
    DEFAULT,
    MOST,
    Clusters,
    Groups,
    Resampling,
    clusters,
    weights,
    with_interval,
)
from adjudge.stats.mean import standard_error, t_quantile
from adjudge.stats.stat import Stat, undefined

FLIPS = 10  # Sign flips per round of resampling.
_ALL = 14  # Clusters up to which every pattern of signs is tried.
_UNEVEN = 5e-4  # Sum of fourth powers over the squared sum of squares: below, sums are normal.


@dataclass(frozen=True, slots=True)
class Paired:
    """Over `n` rows: `difference` is the mean of first minus second, in units of the scale.

    `p` is two-sided, None without rows; `wins`, `ties` and `losses` count the rows where the first
    is higher, equal or lower; `standardised` is the difference in standard deviations of the
    paired differences.
    """

    n: int
    difference: Stat
    p: float | None
    wins: int
    ties: int
    losses: int
    standardised: Stat


def paired_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    groups: Groups = None,
    resampling: Resampling = DEFAULT,
) -> Paired:
    """First minus second, row by row, with intervals that resample whole groups.

    The p-value is that of a sign-flip permutation test: if the two were exchangeable, each group's
    differences could as well have the opposite sign. Up to 14 groups all patterns are tried,
    beyond them ten times as many as there are rounds, so that p is at least 1/(10 rounds + 1).

    Of more than 10,000 groups nothing need be drawn: unless a few of them outweigh the others, the
    normal distribution is closer to what endless drawing would give than a thousand rounds are.
    """
    one, other = number_pair(first, second)
    apart = one - other
    counts = (int(np.sum(apart > 0)), int(np.sum(apart == 0)), int(np.sum(apart < 0)))
    if not len(apart):
        none = undefined(Reason("compared.no_pair"))
        return Paired(0, none, None, *counts, none)
    within = clusters(groups, len(apart))
    difference, standardised, p = (
        _foreseen(apart, within, resampling) if within.count > MOST else None
    ) or _drawn(apart, within, resampling)
    return Paired(len(apart), difference, p, *counts, standardised)


Found = tuple[Stat, Stat, float]  # the difference, the same standardised, and p


def _foreseen(apart: Floats, within: Clusters, resampling: Resampling) -> Found | None:
    """What drawing would come to; None where some clusters weigh too much for that."""
    value, spread = float(apart.mean()), float(apart.std())
    sums = within.sums(apart)
    if spread == 0 or not _even(sums):
        return None
    moved = (apart - value) / spread
    # How far each row moves the mean over the standard deviation, which varies as well.
    moves = moved - value / spread * (moved**2 - 1) / 2
    if not _even(within.sums(moves)):
        return None
    z = abs(float(sums.sum())) / float(np.sqrt(np.square(sums).sum()))
    p = max(2 * float(ndtr(-z)), 1 / (1 + FLIPS * resampling.rounds))
    reach = t_quantile(resampling.confidence, within.count - 1)
    difference, standardised = (
        Stat.around(at, reach * standard_error(rows, within))
        for at, rows in ((value, apart), (value / spread, moves))
    )
    return difference, standardised, p


def _even(sums: Floats) -> bool:
    squares = np.square(sums)
    whole = float(squares.sum())
    return whole > 0 and float(np.square(squares).sum()) < _UNEVEN * whole**2


def _drawn(apart: Floats, within: Clusters, resampling: Resampling) -> Found:
    """By resampling, and flipping, the clusters; more than 10,000 in blocks."""
    blocks = within.at_most(MOST, resampling.seed)
    sums = blocks.sums(np.stack([np.ones_like(apart), apart, apart**2], axis=1))
    drawn = np.concatenate([chunk @ sums for chunk in weights(blocks.count, resampling)])
    value, spread = float(apart.mean()), float(apart.std())
    difference = with_interval(value, drawn[:, 1] / drawn[:, 0], within.count, resampling)
    standardised = (
        with_interval(value / spread, _standardised(drawn), within.count, resampling)
        if spread > 0
        else undefined(Reason("same_difference"))
    )
    return difference, standardised, _sign_flip_p(sums[:, 1], resampling)


def _standardised(sums: Floats) -> Floats:
    n, total, squares = sums.T
    mean = total / n
    variance = squares / n - mean**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(mean / np.sqrt(np.where(variance > 1e-12, variance, np.nan)))


def _sign_flip_p(sums: Floats, resampling: Resampling) -> float:
    """The share of sign patterns whose total is at least as far from 0 as the one seen."""
    size = float(np.abs(sums).sum())
    # Totals that differ by rounding alone are equal.
    seen = abs(float(sums.sum())) - 1e-12 * size
    if len(sums) <= _ALL:
        patterns = np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums)) & 1
        return float(np.mean(np.abs((2.0 * patterns - 1) @ sums) >= seen))
    chance = np.random.default_rng(resampling.seed)
    rounds = FLIPS * resampling.rounds
    farther = 0
    for start in range(0, rounds, 500):
        heads = chance.integers(2, size=(min(500, rounds - start), len(sums)), dtype=np.int8)
        farther += int(np.sum(np.abs(2 * (heads @ sums) - sums.sum()) >= seen))
    return (1 + farther) / (1 + rounds)


_NORMAL = 10_000  # Pairs beyond which t is normal to all digits that matter.
_MOST_PAIRS = 10**12


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
        if most > _MOST_PAIRS:
            return None
    return bisect_left(range(most + 1), True, most // 2, most, key=finds)


def _check(sd: float, alpha: float) -> None:
    if not sd > 0:
        raise UsageError(Reason("stats.deviation", sd=sd))
    if not 0 < alpha < 1:
        raise UsageError(Reason("stats.alpha", alpha=alpha))
