from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from adjudge.stats.arrays import Floats
from adjudge.stats.bootstrap import Resampling, clusters
from adjudge.stats.bradley_terry import Contests, ranks


def contests(true: Floats, questions: int, *, copies: int = 1) -> Contests:
    """Every two systems meet once on each question; copies repeat its results."""
    chance = np.random.default_rng(11)
    first, second = np.triu_indices(len(true), 1)
    won = chance.random((questions, len(first))) < expit(true[first] - true[second])
    rows = questions * copies
    return Contests(
        np.tile(first, rows),
        np.tile(second, rows),
        np.tile(won, (copies, 1)).ravel().astype(float),
        len(true),
        clusters(np.tile(np.repeat(np.arange(questions), len(first)), copies), rows * len(first)),
    )


def test_far_apart_is_decided_and_near_is_not(few_rounds: Resampling) -> None:
    found = ranks(contests(np.array([1.5, 0.0, 0.0, -1.5]), 200), few_rounds)
    assert (found.best[0], found.worst[0]) == (1, 1)
    assert (found.best[3], found.worst[3]) == (4, 4)
    assert found.best[1] == found.best[2] == 2
    assert found.worst[1] == found.worst[2] == 3
    assert not found.steadied


def test_the_interval_counts_questions_not_rows(few_rounds: Resampling) -> None:
    true = np.array([0.5, -0.5])
    once, thrice = (ranks(contests(true, 60, copies=n), few_rounds).strength[0] for n in (1, 3))
    assert thrice.value == pytest.approx(once.value)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Two systems: the strength is half the log-odds, whose interval is known."""
    given = contests(np.array([0.4, -0.4]), 400)
    rate = given.score.mean()
    error = 0.5 / np.sqrt(400 * rate * (1 - rate))
    stat = ranks(given, Resampling()).strength[0]
    assert stat.low is not None
    assert stat.value is not None
    assert stat.value - stat.low == pytest.approx(1.96 * error, rel=0.12)


def test_a_system_that_never_lost_stays_finite(few_rounds: Resampling) -> None:
    given = contests(np.array([40.0, 0.0, 0.0]), 30)
    found = ranks(given, few_rounds)
    assert found.steadied
    assert (found.best[0], found.worst[0]) == (1, 1)
    for stat in found.strength:
        assert stat.value is not None
        assert stat.low is not None
        assert stat.high is not None
        assert np.isfinite([stat.value, stat.low, stat.high]).all()


def test_parts_that_never_met_have_no_common_scale(few_rounds: Resampling) -> None:
    apart = Contests(
        np.array([0, 1, 2, 3]),
        np.array([1, 0, 3, 2]),
        np.array([1.0, 1.0, 1.0, 1.0]),
        4,
        clusters(None, 4),
    )
    found = ranks(apart, few_rounds)
    assert {stat.value for stat in found.strength} == {None}
    assert "never compared" in str(found.strength[0].why)
    assert (found.best.tolist(), found.worst.tolist()) == ([1] * 4, [4] * 4)


def test_few_questions_decide_nothing(few_rounds: Resampling) -> None:
    found = ranks(contests(np.array([1.0, -1.0]), 4), few_rounds)
    assert found.strength[0].low is None
    assert found.worst.tolist() == [2, 2]
