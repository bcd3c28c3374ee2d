"""How often a system would beat the baseline, were its answers as long as the baseline's.

The win rate is regressed on the difference in length and on how hard the question is, and then
read off where the lengths are equal (Dubois et al. 2024, "Length-Controlled AlpacaEval").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from adjudge.core.reason import Reason
from adjudge.stats.clusters import Groups, clusters
from adjudge.stats.length_pool import AgainstBaseline, Pool
from adjudge.stats.logistic import fit
from adjudge.stats.mean import standard_error, t_quantile
from adjudge.stats.stat import Stat, undefined, without_interval

FEWEST = 20  # Comparisons from which a slope is worth fitting.


@dataclass(frozen=True, slots=True)
class LengthControlledRate:
    """`rate` is on 0-1. `slope` is what length does, in log-odds: positive where longer answers
    win; None where the rate is undefined."""

    rate: Stat
    slope: float | None


def length_controlled(
    against: AgainstBaseline, pool: Pool, groups: Groups = None, confidence: float = 0.95
) -> LengthControlledRate:
    """The length-controlled win rate of one system against the baseline.

    The interval counts groups, and takes what the pool says as known.
    """
    why = _refused(against)
    if why:
        return LengthControlledRate(undefined(why), None)
    columns = pool.columns(against)
    fitted = fit(columns, against.won, pool.prior)
    level = columns * [0.0, 1.0, 1.0]  # the same rows at equal length
    expected = expit(level @ fitted.coefficients)
    rate, slope = float(expected.mean()), float(fitted.coefficients[0])
    within = clusters(groups, len(against.won))
    if within.count < 2:
        return LengthControlledRate(without_interval(rate, Reason("no_spread_group")), slope)
    # What each row adds: its own expectation, and its pull on the coefficients.
    toward = ((expected * (1 - expected))[:, None] * level).sum(0)
    over = against.won - expit(columns @ fitted.coefficients)
    pull = (columns * over[:, None]) @ fitted.covariance @ toward
    error = standard_error(expected + pull, within)
    reach = t_quantile(confidence, within.count - 1) * error
    return LengthControlledRate(Stat(rate, max(0.0, rate - reach), min(1.0, rate + reach)), slope)


def _refused(against: AgainstBaseline) -> Reason | None:
    if len(against.won) < FEWEST:
        return Reason("few_comparisons", count=len(against.won), least=FEWEST)
    if np.ptp(against.won) == 0 and against.won[0] in (0, 1):
        return Reason("won_all") if against.won[0] else Reason("lost_all")
    if np.ptp(against.longer) == 0 and against.longer[0] != 0:
        return Reason("same_lengths")
    return None
