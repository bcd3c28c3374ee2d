from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from adjudge.stats.arrays import Floats
from adjudge.stats.length_control import (
    ENOUGH,
    AgainstBaseline,
    Pool,
    learn_pools,
    length_controlled,
)

QUESTIONS, SLOPE = 250, 1.2


def systems(count: int, hard: Floats) -> list[AgainstBaseline]:
    chance = np.random.default_rng(8)
    made = []
    for constant in np.linspace(-1, 1, count):
        given = AgainstBaseline(
            np.zeros(QUESTIONS), chance.normal(0, 200, QUESTIONS), np.arange(QUESTIONS)
        )
        odds = constant + SLOPE * given.length() + hard
        won = (chance.random(QUESTIONS) < expit(odds)).astype(float)
        made.append(AgainstBaseline(won, given.longer, given.question))
    return made


def test_difficulties_and_the_usual_slope_are_found() -> None:
    hard = np.random.default_rng(1).normal(size=QUESTIONS)
    for pool in learn_pools(systems(20, hard), QUESTIONS):
        assert pool.difficulty is not None
        assert np.corrcoef(pool.difficulty, hard)[0, 1] > 0.85
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
        odd.append(AgainstBaseline(won.astype(float), longer, np.arange(QUESTIONS)))
    prior = learn_pools([*ordinary, *odd], QUESTIONS)[0].prior
    assert prior.mean[0] == pytest.approx(SLOPE, abs=0.15)
    assert prior.variance[0] < 0.2


def test_few_systems_tell_no_difficulty() -> None:
    for pool in learn_pools(systems(ENOUGH - 1, np.zeros(QUESTIONS)), QUESTIONS):
        assert pool.difficulty is None
        assert pool.prior.variance[0] == 25


def some(
    chance: np.random.Generator, constant: float, longer: Floats, hard: Floats
) -> AgainstBaseline:
    """A system with an effect of length of its own, near 1.5."""
    given = AgainstBaseline(np.zeros(QUESTIONS), longer, np.arange(QUESTIONS))
    slope = 1.5 + 0.2 * chance.normal()
    odds = constant + slope * given.length() + hard
    won = (chance.random(QUESTIONS) < expit(odds)).astype(float)
    return AgainstBaseline(won, longer, given.question)


def test_variants_of_the_baseline_steady_a_few_systems() -> None:
    """Without them the fits of three systems are off by 11 points, with them by 5."""
    alone: list[Floats] = []
    held: list[Floats] = []
    for seed in range(16):
        chance = np.random.default_rng(seed)
        hard = chance.normal(size=QUESTIONS)
        given = [
            some(chance, constant, 250 * mean + chance.normal(0, 250, QUESTIONS), hard)
            for constant, mean in ((-1.0, -2.0), (-0.5, -2.0), (0.5, 2.0), (0.0, 1.5), (0.0, -1.5))
        ]
        true = np.array([expit(constant + hard).mean() for constant in (-1.0, -0.5, 0.5)])
        for off, variants in ((alone, ()), (held, (3, 4))):
            pools = learn_pools(given, QUESTIONS, variants)
            off.append(rates(given[:3], pools[:3]) - true)
    assert np.sqrt(np.mean(np.square(held))) < 0.7 * np.sqrt(np.mean(np.square(alone)))


def test_variants_replace_what_the_systems_have_in_common() -> None:
    chance = np.random.default_rng(4)
    others = systems(12, np.zeros(QUESTIONS))
    longer = others[0].longer
    shorter_wins = chance.random(QUESTIONS) > np.tanh(longer / 200)
    odd = AgainstBaseline(shorter_wins.astype(float), longer, others[0].question)
    with_them = learn_pools([*others, odd], QUESTIONS, [12])[0].prior
    assert with_them.mean[0] < 0 < learn_pools([*others, odd], QUESTIONS)[0].prior.mean[0]


def rates(given: list[AgainstBaseline], pools: list[Pool]) -> Floats:
    found = [length_controlled(each, pool).rate for each, pool in zip(given, pools, strict=True)]
    return np.array([each.value for each in found])
