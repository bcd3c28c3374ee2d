"""How often a system would beat the baseline, were its answers as long as the baseline's.

The win rate is regressed on the difference in length and on how hard the question is, and then
read off where the lengths are equal (Dubois et al. 2024, "Length-Controlled AlpacaEval").

A fit leans on a `Pool`: how hard each question is, and how much a longer answer helps. One system's
rows say little about either, so that a single fit takes chance for an effect of length. Dubois et
al. hold it with judgments of the baseline made to write longer and shorter; where the data have
such variants, so do we. Else the other systems do that, from ten on: their effects are taken as
draws from one t distribution, whose middle is each system's prior. Its tails hold the few systems
that are unlike all others, such as one that games the judge: they neither widen the prior for the
rest nor escape it themselves.

A system's own results are left out of the difficulties that it is regressed on: else they would
stand on both sides of the regression, which takes chance for difficulty and, where a dozen systems
are compared, pushes their rates up by as much as a point and a half.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.bootstrap import Groups, clusters
from adjudge.stats.logistic import Prior, fit
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


ENOUGH = 10  # Systems from which a question's difficulty can be told from chance.
_VARIANTS = 0.2  # Weight of all variants together beside one system's own rows; the original's.
_VAGUE = 25.0  # Variance of a prior that says little: a slope of 5 turns 50% into 99%.
_SPREAD_ROUNDS = 10  # Learning difficulties and their spread from each other.
_LONGEST, _NEWTON_STEPS, _CLOSE = 2.0, 20, 1e-6  # Of fitting the difficulties.
_ROUNDS = 3  # Learning slopes and difficulties from each other; then slopes move by .03 at most.
_TAILS = 2.0  # Degrees of freedom; of 1 to 4 these come nearest to the published rates.
_STEPS = 100  # Of fitting the t distribution; more move it by less than a thousandth.
_LEAST = 1e-3  # Variance among systems that differ by chance alone.
_SILENT = Prior(np.array([0.0, 1.0, 0.0]), np.array([_VAGUE, _VAGUE, np.inf]))


@dataclass(frozen=True, slots=True)
class Pool:
    """`difficulty` is by question, in log-odds, None where too few systems are there to tell;
    `prior` is of the effect of length, of the difficulty's weight and of the constant."""

    difficulty: Floats | None
    prior: Prior

    def columns(self, against: AgainstBaseline) -> Floats:
        """What is regressed on, in the order of the prior."""
        hard = np.zeros(len(against.won))
        if self.difficulty is not None:
            hard = self.difficulty[against.question]
        return np.stack([against.length(), hard, np.ones(len(against.won))], axis=1)


def learn_pools(
    systems: Sequence[AgainstBaseline], questions: int, variants: Collection[int] = ()
) -> list[Pool]:
    """What each system's fit can lean on. `variants` are places among the systems: those that are
    the baseline itself, made to write longer or shorter."""
    pools = [Pool(None, _SILENT) for _ in systems]
    if len(systems) < ENOUGH:
        return _held(pools, systems, variants) if variants else pools
    spread = 1.0
    for _ in range(_ROUNDS):
        prior = pools[0].prior
        hard = difficulties(systems, questions, (prior.mean[0], prior.variance[0]), spread)
        spread = hard.spread
        pools = [Pool(difficulty, _SILENT) for difficulty in hard.by_system]
        pools = _held(pools, systems, variants) if variants else _alike(pools, systems)
    return pools


def _held(
    pools: Sequence[Pool], systems: Sequence[AgainstBaseline], variants: Collection[int]
) -> list[Pool]:
    """By the variants: at equal length and on a question of mean difficulty they win half."""
    columns = np.concatenate([pools[at].columns(systems[at])[:, :2] for at in variants])
    won = np.concatenate([systems[at].won for at in variants])
    fitted = fit(columns, won, Prior(_SILENT.mean[:2], _SILENT.variance[:2]))
    variance = np.diag(fitted.covariance) * len(variants) / _VARIANTS
    prior = Prior(np.append(fitted.coefficients, 0.0), np.append(variance, np.inf))
    return [Pool(pool.difficulty, prior) for pool in pools]


def _alike(pools: Sequence[Pool], systems: Sequence[AgainstBaseline]) -> list[Pool]:
    """By what the systems have in common."""
    fits = [
        fit(pool.columns(system), system.won, pool.prior)
        for pool, system in zip(pools, systems, strict=True)
    ]
    effects = np.array([fitted.coefficients[:2] for fitted in fits])
    unsure = np.array([np.diag(fitted.covariance)[:2] for fitted in fits])
    means, variances = zip(*(_typical(effects[:, at], unsure[:, at]) for at in (0, 1)), strict=True)
    # As narrow as the t distribution is at its top, where most systems lie.
    at_top = np.array(variances) * _TAILS / (_TAILS + 1)
    prior = Prior(np.array([*means, 0.0]), np.append(at_top, np.inf))
    return [Pool(pool.difficulty, prior) for pool in pools]


def _typical(effects: Floats, unsure: Floats) -> tuple[float, float]:
    """Middle and squared scale of the t distribution that the true effects were drawn from, where
    `found` has them with errors of variance `unsure`; by expectation-maximisation."""
    middle, scale = float(np.median(effects)), max(float(np.var(effects)), _LEAST)
    weight = np.ones(len(effects))  # small for a system that is unlike the others
    for _ in range(_STEPS):
        doubt = 1 / (1 / unsure + weight / scale)
        likely = doubt * (effects / unsure + weight * middle / scale)
        weight = (_TAILS + 1) / (_TAILS + ((likely - middle) ** 2 + doubt) / scale)
        middle = float(np.average(likely, weights=weight))
        scale = max(float(np.mean(weight * ((likely - middle) ** 2 + doubt))), _LEAST)
    return middle, scale


@dataclass(frozen=True, slots=True)
class AgainstBaseline:
    """The share that a system won of each comparison (1, 0.5 or 0, or a probability), how many
    characters longer than the baseline it was, and the question, counted from 0."""

    won: Floats
    longer: Floats
    question: Ints

    def length(self) -> Floats:
        """The difference in length in standard deviations, squeezed into -1 to 1."""
        spread = float(np.std(self.longer, ddof=1)) if len(self.longer) > 1 else 0.0
        return np.tanh(self.longer / spread) if spread else np.zeros(len(self.longer))


class Difficulties(NamedTuple):
    """The difficulties `by_system` and question, in log-odds that are 0 on average; `spread` is how
    much the questions differ: the variance of the true difficulties."""

    by_system: Floats
    spread: float


class _Rows(NamedTuple):
    """All comparisons, and the system of each."""

    won: Floats
    length: Floats
    question: Ints
    of: Ints


def difficulties(
    systems: Sequence[AgainstBaseline], questions: int, slope: tuple[float, float], spread: float
) -> Difficulties:
    """One logistic fit over all rows: a constant and a slope per system, a term per question. The
    slopes have a normal prior (mean, variance), the terms one with the variance `spread`; the one
    that is returned is what the terms show it to be."""
    rows = _Rows(
        np.concatenate([system.won for system in systems]),
        np.concatenate([system.length() for system in systems]),
        np.concatenate([system.question for system in systems]),
        np.repeat(np.arange(len(systems)), [len(system.won) for system in systems]),
    )
    level, hard = _joint(rows, len(systems), questions, slope, spread)
    for _ in range(_SPREAD_ROUNDS):
        hard, bend = _settled(rows, level, hard, spread)
        spread = float(np.var(hard) + np.mean(1 / bend))
    by_system = []
    for system in range(len(systems)):  # the others' slopes and constants stay as they are
        others = rows.of != system
        left = _Rows(*(row[others] for row in rows))
        by_system.append(_settled(left, level[others], hard, spread)[0])
    return Difficulties(np.array(by_system) - hard.mean(), spread)


def _joint(
    rows: _Rows, count: int, questions: int, slope: tuple[float, float], spread: float
) -> tuple[Floats, Floats]:
    """What each row's log-odds would be on a question of no difficulty, and the difficulties."""
    mean, weight = slope[0], 1 / slope[1]

    def loss(at: Floats) -> tuple[float, Floats]:
        slopes, constants, hard = np.split(at, [count, 2 * count])
        odds = slopes[rows.of] * rows.length + constants[rows.of] + hard[rows.question]
        over = expit(odds) - rows.won
        off = slopes - mean
        value = np.sum(np.logaddexp(0, odds) - rows.won * odds)
        value += (float(hard @ hard) / spread + weight * float(off @ off)) / 2
        parts = (
            np.bincount(rows.of, over * rows.length, count) + weight * off,
            np.bincount(rows.of, over, count),
            np.bincount(rows.question, over, questions) + hard / spread,
        )
        return float(value), np.concatenate(parts)

    start = np.zeros(2 * count + questions)
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000})
    slopes, constants, hard = np.split(optimum.x, [count, 2 * count])
    return slopes[rows.of] * rows.length + constants[rows.of], hard


def _settled(rows: _Rows, level: Floats, hard: Floats, spread: float) -> tuple[Floats, Floats]:
    """The most likely difficulties, and how sharply each is told: the curvature there."""
    bend: Floats = np.full(len(hard), 1 / spread)
    for _ in range(_NEWTON_STEPS):
        expected = expit(level + hard[rows.question])
        pull = np.bincount(rows.question, rows.won - expected, len(hard)) - hard / spread
        information = np.bincount(rows.question, expected * (1 - expected), len(hard))
        bend = information.astype(np.float64) + 1 / spread
        step = np.clip(pull / bend, -_LONGEST, _LONGEST)
        hard = hard + step
        if np.abs(step).max() < _CLOSE:
            break
    return hard, bend
