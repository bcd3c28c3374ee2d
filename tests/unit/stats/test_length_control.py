from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from adjudge.stats.arrays import Floats
from adjudge.stats.length_control import AgainstBaseline, Pool, learn_pools, length_controlled

QUESTIONS = 400


def system(
    seed: int, *, constant: float, slope: float, hard: Floats | None = None
) -> AgainstBaseline:
    """A system that is mostly longer than the baseline and wins as the model says."""
    chance = np.random.default_rng(seed)
    longer = chance.normal(300, 300, QUESTIONS)
    given = AgainstBaseline(np.zeros(QUESTIONS), longer, np.arange(QUESTIONS))
    odds = constant + slope * given.length() + (0 if hard is None else hard)
    won = (chance.random(QUESTIONS) < expit(odds)).astype(float)
    return AgainstBaseline(won, longer, given.question)


def alone(against: AgainstBaseline) -> Pool:
    return learn_pools([against], QUESTIONS)[0]


def test_the_gain_from_length_is_taken_away() -> None:
    given = system(1, constant=0.0, slope=1.5)
    found = length_controlled(given, alone(given))
    assert given.won.mean() > 0.6
    assert found.rate.value == pytest.approx(0.5, abs=0.07)
    assert found.slope is not None
    assert found.slope > 1


def test_without_an_effect_of_length_nothing_changes() -> None:
    given = system(2, constant=0.7, slope=0.0)
    found = length_controlled(given, alone(given))
    assert found.rate.low is not None
    assert found.rate.high is not None
    assert found.rate.low < given.won.mean() < found.rate.high


def test_equal_lengths_leave_the_win_rate() -> None:
    given = system(3, constant=0.7, slope=0.0)
    level = AgainstBaseline(given.won, np.zeros(QUESTIONS), given.question)
    assert length_controlled(level, alone(level)).rate.value == pytest.approx(given.won.mean())


def test_the_interval_is_that_of_resampling() -> None:
    given = system(4, constant=0.3, slope=1.0)
    pool = alone(given)
    chance = np.random.default_rng(0)
    drawn = []
    for _ in range(200):
        rows = chance.integers(QUESTIONS, size=QUESTIONS)
        again = AgainstBaseline(given.won[rows], given.longer[rows], given.question[rows])
        drawn.append(length_controlled(again, pool).rate.value)
    found = length_controlled(given, pool).rate
    assert found.low is not None
    assert found.high is not None
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * np.std(drawn), rel=0.15)


def test_rows_on_one_question_count_as_one() -> None:
    given = system(5, constant=0.3, slope=1.0)
    twice = AgainstBaseline(
        *(np.tile(each, 2) for each in (given.won, given.longer, given.question))
    )
    one = length_controlled(given, alone(given), given.question).rate
    two = length_controlled(twice, alone(given), twice.question).rate
    assert (two.low, two.high) == pytest.approx((one.low, one.high), abs=2e-3)


@pytest.mark.parametrize(
    ("won", "longer", "why"),
    [
        ([1.0] * 30, range(30), "won every comparison"),
        ([0.0] * 30, range(30), "lost every comparison"),
        ([1.0, 0.0] * 15, [7] * 30, "always differ by the same"),
        ([1.0, 0.0] * 5, range(10), "10 comparisons are too few"),
    ],
)
def test_refusals(won: list[float], longer: list[int], why: str) -> None:
    given = AgainstBaseline(np.array(won), np.array(longer, dtype=float), np.arange(len(won)))
    found = length_controlled(given, learn_pools([given], len(won))[0])
    assert found.rate.value is None
    assert found.slope is None
    assert why in str(found.rate.why)
