"""What many systems together tell about length: how hard each question is for whoever meets the
baseline, and how much a longer answer usually helps.

One system's rows say little about either, so that a single fit takes chance for an effect of
length. Dubois et al. (2024) hold it with judgments of a verbose and of a terse baseline; here the
other systems of the same data do that: their effects are taken as draws from one t distribution,
whose middle is each system's prior. Its tails hold the few systems that are unlike all others, such
as one that games the judge: they neither widen the prior for the rest nor escape it themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.logistic import Prior, fit

ENOUGH = 10  # Systems from which a question's difficulty can be told from chance.
_VAGUE = 25.0  # Variance of a prior that says little: a slope of 5 turns 50% into 99%.
_ROUNDS = 3  # Learning slopes and difficulties from each other; they hardly move after that.
_TAILS = 4.0  # Degrees of freedom; of 1, 2, 4 and infinity these foretell left-out rows best.
_STEPS = 100  # Of fitting the t distribution; more move it by less than a thousandth.
_LEAST = 1e-3  # Variance among systems that differ by chance alone.


@dataclass(frozen=True, slots=True)
class Against:
    """One system's comparisons with the baseline: the share that it won of each (1, 0.5 or 0, or a
    probability), how many characters longer it was, and the question, counted from 0."""

    won: Floats
    longer: Floats
    question: Ints

    def length(self) -> Floats:
        """The difference in length in standard deviations, squeezed into -1 to 1."""
        spread = float(np.std(self.longer, ddof=1)) if len(self.longer) > 1 else 0.0
        return np.tanh(self.longer / spread) if spread else np.zeros(len(self.longer))


@dataclass(frozen=True, slots=True)
class Pool:
    """`difficulty` is by question, in log-odds with mean 0, None where too few systems are there to
    tell; `prior` is of the effect of length, of the difficulty's weight and of the constant."""

    difficulty: Floats | None
    prior: Prior

    def columns(self, against: Against) -> Floats:
        """What is regressed on, in the order of the prior."""
        hard = np.zeros(len(against.won))
        if self.difficulty is not None:
            hard = self.difficulty[against.question]
        return np.stack([against.length(), hard, np.ones(len(against.won))], axis=1)


def learn(systems: Sequence[Against], questions: int) -> Pool:
    """What the systems have in common; with fewer than ten, next to nothing."""
    vague = Prior(np.array([0.0, 1.0, 0.0]), np.array([_VAGUE, _VAGUE, np.inf]))
    pool = Pool(None, vague)
    if len(systems) < ENOUGH:
        return pool
    for _ in range(_ROUNDS):
        hard = _difficulty(systems, questions, pool.prior)
        free = Pool(hard, vague)
        fits = [fit(free.columns(each), each.won, vague) for each in systems]
        found = np.array([each.coefficients[:2] for each in fits])
        unsure = np.array([np.diag(each.covariance)[:2] for each in fits])
        means, variances = zip(
            *(_typical(found[:, at], unsure[:, at]) for at in (0, 1)), strict=True
        )
        pool = Pool(hard, Prior(np.array([*means, 0.0]), np.array([*variances, np.inf])))
    return pool


def _typical(found: Floats, unsure: Floats) -> tuple[float, float]:
    """Middle and squared scale of the t distribution that the true effects were drawn from, where
    `found` has them with errors of variance `unsure`; by expectation-maximisation."""
    middle, scale = float(np.median(found)), max(float(np.var(found)), _LEAST)
    weight = np.ones(len(found))  # small for a system that is unlike the others
    for _ in range(_STEPS):
        doubt = 1 / (1 / unsure + weight / scale)
        likely = doubt * (found / unsure + weight * middle / scale)
        weight = (_TAILS + 1) / (_TAILS + ((likely - middle) ** 2 + doubt) / scale)
        middle = float(np.average(likely, weights=weight))
        scale = max(float(np.mean(weight * ((likely - middle) ** 2 + doubt))), _LEAST)
    return middle, scale


def _difficulty(systems: Sequence[Against], questions: int, prior: Prior) -> Floats:
    """One logistic fit over all rows: a constant and a slope a system, a term a question; the terms
    have a standard normal prior, the slopes theirs."""
    of = np.repeat(np.arange(len(systems)), [len(each.won) for each in systems])
    question = np.concatenate([each.question for each in systems])
    won = np.concatenate([each.won for each in systems])
    length = np.concatenate([each.length() for each in systems])
    count, mean, weight = len(systems), prior.mean[0], 1 / prior.variance[0]

    def loss(at: Floats) -> tuple[float, Floats]:
        slope, constant, hard = np.split(at, [count, 2 * count])
        odds = slope[of] * length + constant[of] + hard[question]
        over = expit(odds) - won
        off = slope - mean
        value = np.sum(np.logaddexp(0, odds) - won * odds)
        value += (hard @ hard + weight * (off @ off)) / 2
        parts = (
            np.bincount(of, over * length, count) + weight * off,
            np.bincount(of, over, count),
            np.bincount(question, over, questions) + hard,
        )
        return float(value), np.concatenate(parts)

    start = np.zeros(2 * count + questions)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000})
    hard: Floats = found.x[2 * count :]
    hard -= hard.mean()
    return hard
