from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from adjudge.stats.arrays import Floats
from adjudge.stats.length_pool import ENOUGH, Against, learn

QUESTIONS, SLOPE = 250, 1.2


def systems(count: int, hard: Floats) -> list[Against]:
    chance = np.random.default_rng(8)
    made = []
    for constant in np.linspace(-1, 1, count):
        given = Against(np.zeros(QUESTIONS), chance.normal(0, 200, QUESTIONS), np.arange(QUESTIONS))
        odds = constant + SLOPE * given.length() + hard
        won = (chance.random(QUESTIONS) < expit(odds)).astype(float)
        made.append(Against(won, given.longer, given.question))
    return made


def test_difficulties_and_the_usual_slope_are_found() -> None:
    hard = np.random.default_rng(1).normal(size=QUESTIONS)
    pool = learn(systems(20, hard), QUESTIONS)
    assert pool.difficulty is not None
    assert np.corrcoef(pool.difficulty, hard)[0, 1] > 0.85
    assert pool.difficulty.mean() == pytest.approx(0, abs=1e-9)
    assert pool.prior.mean[0] == pytest.approx(SLOPE, abs=0.3)
    assert pool.prior.variance[0] < 0.3  # the systems are alike in this


def test_two_systems_unlike_all_others_move_little() -> None:
    """They win where they are shorter. Their slope is 2.7 below the others', so that the variance
    of all 22 would be about 0.6."""
    chance = np.random.default_rng(3)
    ordinary, odd = systems(20, np.zeros(QUESTIONS)), []
    for _ in range(2):
        longer = chance.normal(0, 200, QUESTIONS)
        won = chance.random(QUESTIONS) < expit(-1.5 * np.tanh(longer / 200))
        odd.append(Against(won.astype(float), longer, np.arange(QUESTIONS)))
    prior = learn([*ordinary, *odd], QUESTIONS).prior
    assert prior.mean[0] == pytest.approx(SLOPE, abs=0.15)
    assert prior.variance[0] < 0.2


def test_few_systems_tell_no_difficulty() -> None:
    pool = learn(systems(ENOUGH - 1, np.zeros(QUESTIONS)), QUESTIONS)
    assert pool.difficulty is None
    assert pool.prior.variance[0] == 25


def test_length_is_squeezed() -> None:
    given = Against(np.zeros(3), np.array([-1e6, 0, 1e6]), np.arange(3))
    assert given.length() == pytest.approx(np.tanh([-1, 0, 1]))
    assert Against(np.zeros(2), np.array([5.0, 5.0]), np.arange(2)).length().tolist() == [0, 0]
