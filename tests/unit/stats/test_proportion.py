from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from adjudge.errors import UsageError
from adjudge.stats.mean import mean_share, rate, share


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson(counts: tuple[int, int]) -> None:
    found = rate(*counts, confidence=0.9)
    low, high = proportion_confint(*counts, alpha=0.1, method="wilson")
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-9), pytest.approx(high))


def test_none_of_ten_is_not_never() -> None:
    found = rate(0, 10)
    assert found.value == found.low == 0
    assert found.high == pytest.approx(0.278, abs=1e-3)


def test_shares_of_samples_count_as_more_than_yes_and_no() -> None:
    found, plain = mean_share([0.5, 1, 1, 0.5, 1, 1]), rate(5, 6)
    assert found.value == pytest.approx(plain.value)
    assert plain.low < found.low < found.value < found.high <= 1  # type: ignore[operator]
    assert mean_share([1.0, 1.0]).high == 1
    assert mean_share([0.5]).low is None
    assert str(mean_share([]).why) == "no rows"


def test_what_is_no_share_is_refused() -> None:
    with pytest.raises(UsageError, match="3 of 2 is not a share"):
        rate(3, 2)
    assert str(rate(0, 0).why) == "no rows"


def test_copies_of_a_row_tell_no_more_than_the_row() -> None:
    rows = np.random.default_rng(0).random(40) < 0.3
    alone, copied = share(rows), share(np.repeat(rows, 25), np.repeat(np.arange(40), 25))
    assert alone.low is not None
    assert copied.low is not None
    assert copied.high - copied.low == pytest.approx(alone.high - alone.low, rel=0.05)  # type: ignore[operator]


def test_rows_that_all_agree_count_as_their_groups() -> None:
    assert share(np.ones(100), np.repeat(np.arange(10), 10)).low == pytest.approx(
        rate(10, 10).low, abs=0.07
    )
    assert "single group" in str(share([1, 0], ["a", "a"]).why)
