from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.selective import PROBABILITIES, lower_bound, rows_needed, select

FIFTHS = [n / 5 for n in range(1, 6)]


def test_the_lowest_threshold_before_the_first_failure() -> None:
    sure = np.repeat([1.0, 0.8, 0.6], [60, 60, 60])
    right = np.concatenate([np.ones(60), np.ones(58), np.zeros(2), np.ones(30), np.zeros(30)])
    found = select(sure, right, FIFTHS, agree=0.9, delta=0.1)
    assert found.chosen is not None
    assert (found.chosen.threshold, found.chosen.n, found.chosen.agreed) == (0.8, 120, 118)
    assert [each.threshold for each in found.tested] == [1.0, 0.8, 0.6]
    assert found.why is None


def test_a_failure_at_the_top_ends_it() -> None:
    sure, right = np.repeat([1.0, 0.8], 50), np.repeat([0.0, 1.0], 50)
    found = select(sure, right, FIFTHS, agree=0.4, delta=0.1)
    assert found.chosen is None
    assert len(found.tested) == 1
    assert "of 50 labelled items" in str(found.why)


def test_thresholds_that_could_not_pass_are_not_tested() -> None:
    sure, right = np.repeat([1.0, 0.8], [3, 57]), np.ones(60)
    found = select(sure, right, FIFTHS, agree=0.9, delta=0.1)
    assert found.chosen is not None
    assert found.chosen.threshold == 0.2
    assert found.tested[0].threshold == 0.8


def test_too_few_labels() -> None:
    found = select(np.ones(21), np.ones(21), FIFTHS, agree=0.9, delta=0.1)
    assert found.needed == 22
    assert str(found.why) == "21 labelled items with a score; at least 22 are needed"


@pytest.mark.parametrize(("agree", "delta"), [(0.9, 0.1), (0.8, 0.05), (0.5, 0.5), (0.99, 0.01)])
def test_rows_needed(agree: float, delta: float) -> None:
    rows = rows_needed(agree, delta)
    assert lower_bound(rows, rows, delta) >= agree - 1e-12
    assert rows == 1 or lower_bound(rows - 1, rows - 1, delta) < agree


@pytest.mark.parametrize(("hits", "total"), [(0, 5), (1, 5), (17, 20), (20, 20)])
def test_the_bound_is_exact(hits: int, total: int) -> None:
    bound = lower_bound(hits, total, 0.1)
    if hits:
        assert stats.binom.sf(hits - 1, total, bound) == pytest.approx(0.1)
    else:
        assert bound == 0


@pytest.mark.parametrize(("agree", "delta"), [(1.0, 0.1), (0.0, 0.1), (0.9, 0.0), (0.9, 1.0)])
def test_promises_that_make_no_sense(agree: float, delta: float) -> None:
    with pytest.raises(UsageError, match=r"--(agree|delta)"):
        select([1.0], [1.0], FIFTHS, agree=agree, delta=delta)


@pytest.mark.parametrize(
    ("how_often_right", "grid"),
    [
        (lambda sure: np.clip(sure, 0, 1), PROBABILITIES),  # calibrated
        (lambda sure: np.full_like(sure, 0.899), PROBABILITIES),  # never good enough, by a hair
        (lambda sure: 0.6 + 0.35 * sure, PROBABILITIES),
        (lambda sure: np.where(sure > 0.97, 0.6, 0.97), PROBABILITIES),  # surest where it is wrong
        (lambda sure: np.where(sure >= 0.8, 0.93, 0.7), FIFTHS),
    ],
)
def test_the_promise_holds(how_often_right, grid) -> None:  # type: ignore[no-untyped-def]
    """In 1,000 studies of 200 labels, agreement above the threshold falls short of the promise in
    at most delta of them."""
    agree, delta, studies = 0.9, 0.1, 1000
    chance = np.random.default_rng(7)

    def draw(rows: int):  # type: ignore[no-untyped-def]
        sure = chance.beta(3, 1, rows)
        return np.ceil(sure * 5) / 5 if grid is FIFTHS else sure

    many = draw(400_000)
    truth = how_often_right(many)
    broken = 0
    for _ in range(studies):
        sure = draw(200)
        right = chance.random(200) < how_often_right(sure)
        found = select(sure, right, grid, agree=agree, delta=delta).chosen
        if found:
            broken += truth[many >= found.threshold - 1e-9].mean() < agree
    assert broken / studies <= delta
