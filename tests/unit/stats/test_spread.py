from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.spread import Spread, spread


def test_by_hand() -> None:
    found = spread([4, 4, 2, 4])
    assert (found.n, found.mode, found.mean) == (4, 4, 3.5)
    assert found.sd == pytest.approx(1.0)
    assert found.flip_rate == 0.25
    assert found.entropy == pytest.approx(0.75 * math.log2(4 / 3) + 0.25 * 2)
    assert found.flips


def test_names_have_no_mean() -> None:
    found = spread(["a", "b", "a"])
    assert (found.mode, found.mean, found.sd) == ("a", None, None)
    assert found.flip_rate == pytest.approx(1 / 3)


def test_nothing_is_not_zero() -> None:
    assert spread([]) == Spread(0)
    assert not spread([]).flips


def test_a_single_one() -> None:
    assert spread([True]) == Spread(1, True, 1.0, None, 0.0, 0.0)


def test_of_two_that_lead_the_first_counts() -> None:
    assert spread([3, 5, 5, 3]).mode == 3


@given(st.lists(st.integers(1, 5), min_size=1, max_size=30))
def test_laws(values: list[int]) -> None:
    found = spread(values)
    assert found.flip_rate is not None
    assert 0 <= found.flip_rate < 1
    assert found.entropy is not None
    assert 0 <= found.entropy <= math.log2(5) + 1e-9
    assert (found.entropy == 0) == (len(set(values)) == 1) == (not found.flips)
    assert spread(values[::-1]).flip_rate == found.flip_rate
