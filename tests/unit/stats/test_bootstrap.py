from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.bootstrap import Resampling, weights, with_interval


@pytest.mark.parametrize(
    ("options", "message"),
    [({"confidence": 1.0}, "a share between 0 and 1"), ({"rounds": 10}, "too few; take 1000")],
)
def test_options_that_make_no_interval_are_refused(options: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Resampling(**options)


def test_every_round_draws_as_many_as_there_are() -> None:
    drawn = np.concatenate(list(weights(7, Resampling(rounds=250))))
    assert drawn.shape == (250, 7)
    assert set(drawn.sum(axis=1)) == {7.0}
    assert drawn.mean(axis=0) == pytest.approx(np.ones(7), abs=0.2)


def test_the_seed_decides() -> None:
    first, again, other = (next(weights(9, Resampling(seed=seed))) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_ends_of_normal_replicates_are_those_of_t() -> None:
    """With 10 clusters t reaches 1.83 standard errors for 90%, and sqrt(10/9) mends the spread."""
    replicates = stats.norm.ppf((np.arange(100_000) + 0.5) / 100_000)
    found = with_interval(0.0, replicates, 10, Resampling(confidence=0.9))
    assert found.high == pytest.approx(stats.t.ppf(0.95, 9) * np.sqrt(10 / 9), abs=1e-3)
    assert found.low == pytest.approx(-stats.t.ppf(0.95, 9) * np.sqrt(10 / 9), abs=1e-3)


@pytest.mark.parametrize("value", [-5.0, 300.0])
def test_an_interval_holds_its_value(value: float) -> None:
    found = with_interval(value, np.arange(200.0), 50, Resampling())
    assert found.low is not None
    assert found.high is not None
    assert found.low <= value <= found.high


@pytest.mark.parametrize(
    ("replicates", "count", "why"),
    [
        (np.arange(200.0), 4, "4 independent rows or groups are too few"),
        (np.where(np.arange(200) < 20, np.nan, np.arange(200.0)), 50, "undefined in many"),
        (np.ones(200), 50, "the same in every resampled set"),
    ],
)
def test_a_value_may_stand_without_an_interval(
    replicates: np.ndarray, count: int, why: str
) -> None:
    found = with_interval(1.0, replicates, count, Resampling())
    assert (found.value, found.low, found.high) == (1.0, None, None)
    assert why in str(found.why)
