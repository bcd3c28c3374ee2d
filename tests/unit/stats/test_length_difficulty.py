from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from adjudge.stats.arrays import Floats
from adjudge.stats.length_control import AgainstBaseline, Difficulties, difficulties

QUESTIONS, SYSTEMS = 300, 12
HARD = np.random.default_rng(0).normal(0, 1.5, QUESTIONS)


def systems(hard: Floats = HARD) -> list[AgainstBaseline]:
    chance = np.random.default_rng(2)
    made = []
    for constant in np.linspace(-1, 1, SYSTEMS):
        won = (chance.random(QUESTIONS) < expit(constant + hard)).astype(float)
        made.append(AgainstBaseline(won, chance.normal(0, 200, QUESTIONS), np.arange(QUESTIONS)))
    return made


def told(given: list[AgainstBaseline], spread: float = 1.0) -> Difficulties:
    return difficulties(given, QUESTIONS, (0.0, 1.0), spread)


def test_own_results_do_not_enter() -> None:
    """Turned round, they would; the others' constants are all that can carry a trace of them."""
    given = systems()
    turned = AgainstBaseline(1 - given[0].won, given[0].longer, given[0].question)
    one, other = told(given).by_system, told([turned, *given[1:]]).by_system
    assert np.corrcoef(one[0], other[0])[0, 1] > 0.999
    assert np.corrcoef(one[1], other[1])[0, 1] < 0.99


def test_own_results_are_no_better_told_than_those_of_a_system_that_stayed_away() -> None:
    """Where all questions are alike, difficulties are chance, which foretells nothing."""
    given = systems(np.zeros(QUESTIONS))
    by = [
        np.corrcoef(hard, each.won)[0, 1]
        for hard, each in zip(told(given).by_system, given, strict=True)
    ]
    assert np.mean(by) == pytest.approx(0, abs=0.05)


def test_the_spread_is_learned() -> None:
    spread = 1.0
    for _ in range(5):
        spread = told(systems(), spread).spread
    assert spread == pytest.approx(np.var(HARD), rel=0.2)


def test_a_question_that_nobody_else_met_is_of_mean_difficulty() -> None:
    given = systems()
    others = [
        AgainstBaseline(each.won[1:], each.longer[1:], each.question[1:]) for each in given[1:]
    ]
    hard = told([given[0], *others]).by_system[0]
    assert hard[0] == pytest.approx(0, abs=0.2)
    assert np.abs(hard).max() > 1


def test_length_is_squeezed() -> None:
    given = AgainstBaseline(np.zeros(3), np.array([-1e6, 0, 1e6]), np.arange(3))
    assert given.length() == pytest.approx(np.tanh([-1, 0, 1]))
    assert AgainstBaseline(np.zeros(2), np.array([5.0, 5.0]), np.arange(2)).length().tolist() == [
        0,
        0,
    ]
