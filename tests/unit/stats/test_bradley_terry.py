from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from adjudge.stats.arrays import Floats
from adjudge.stats.bradley_terry import (
    components,
    has_finite_strengths,
    strengths,
    unbeaten,
    with_half_wins,
)

CHAIN = np.array([[0, 3, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2], [0, 0, 1, 0.0]])


@pytest.fixture
def wins() -> Floats:
    """Seven systems, ties counted half."""
    chance = np.random.default_rng(5)
    true = np.linspace(-1.5, 1.5, 7)
    games = np.triu(chance.integers(1, 40, (7, 7)), 1)
    won = chance.binomial(games, expit(true[:, None] - true)).astype(float)
    half = 0.5 * (games > 3) * (won > 0)
    return np.triu(won - half, 1) + np.triu(games - won + half, 1).T


def test_as_a_general_optimiser_finds_them(wins: Floats) -> None:
    def loss(s: Floats) -> float:
        return float(np.sum(wins * np.logaddexp(0, s[None, :] - s[:, None])) + s.sum() ** 2)

    found = minimize(loss, np.zeros(7), method="BFGS", options={"gtol": 1e-9})
    assert strengths(wins) == pytest.approx(found.x - found.x.mean(), abs=1e-4)


def test_two_systems_have_the_log_odds() -> None:
    found = strengths(np.array([[0, 30], [10, 0.0]]))
    assert found[0] - found[1] == pytest.approx(np.log(3))


def test_every_system_has_as_many_wins_as_expected(wins: Floats) -> None:
    found = strengths(wins)
    expected = (wins + wins.T) * expit(found[:, None] - found)
    assert expected.sum(1) == pytest.approx(wins.sum(1))


def test_many_sets_at_once_as_one_by_one(wins: Floats) -> None:
    both = strengths(np.stack([wins, wins.T]))
    assert both[0] == pytest.approx(strengths(wins))
    assert both[1] == pytest.approx(-both[0])


def test_lopsided_wins_converge() -> None:
    found = strengths(np.array([[0, 1e5], [1, 0.0]]))
    assert found[0] - found[1] == pytest.approx(np.log(1e5))


def test_bounds(wins: Floats) -> None:
    assert has_finite_strengths(wins)
    assert not has_finite_strengths(np.array([[0, 5], [0, 0.0]]))
    assert not has_finite_strengths(CHAIN)


def test_parts_that_never_met() -> None:
    assert components(CHAIN).tolist() == [0, 0, 1, 1]


def test_who_is_unbeaten() -> None:
    three = np.array([[0, 2, 2], [0, 0, 1], [0, 1, 0.0]])  # 0 beat all; 1 and 2 beat each other
    over, under = unbeaten(three)
    assert (over.tolist(), under.tolist()) == ([0], [1, 2])


def test_half_a_win_each_way_holds_them() -> None:
    held = with_half_wins(np.array([[0, 5], [0, 0.0]]), np.array([[0, 5], [0, 0.0]]))
    assert has_finite_strengths(held)
    found = strengths(held)
    assert found[0] - found[1] == pytest.approx(np.log(5.5 / 0.5))
