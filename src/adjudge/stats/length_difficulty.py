"""How hard each question is for whoever meets the baseline, as the other systems tell it.

A system's own results are left out of the difficulties that it is regressed on: else they would
stand on both sides of the regression, which takes chance for difficulty and, where a dozen systems
are compared, pushes their rates up by as much as a point and a half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from adjudge.stats.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Against:
    """The share that a system won of each comparison (1, 0.5 or 0, or a probability), how many
    characters longer than the baseline it was, and the question, counted from 0."""

    won: Floats
    longer: Floats
    question: Ints

    def length(self) -> Floats:
        """The difference in length in standard deviations, squeezed into -1 to 1."""
        spread = float(np.std(self.longer, ddof=1)) if len(self.longer) > 1 else 0.0
        return np.tanh(self.longer / spread) if spread else np.zeros(len(self.longer))


_ROUNDS = 10  # Learning difficulties and their spread from each other.
_LONGEST, _STEPS, _CLOSE = 2.0, 20, 1e-6


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
    systems: Sequence[Against], questions: int, slope: tuple[float, float], spread: float
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
    for _ in range(_ROUNDS):
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
    for _ in range(_STEPS):
        expected = expit(level + hard[rows.question])
        pull = np.bincount(rows.question, rows.won - expected, len(hard)) - hard / spread
        information = np.bincount(rows.question, expected * (1 - expected), len(hard))
        bend = information.astype(np.float64) + 1 / spread
        step = np.clip(pull / bend, -_LONGEST, _LONGEST)
        hard = hard + step
        if np.abs(step).max() < _CLOSE:
            break
    return hard, bend
