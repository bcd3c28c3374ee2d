from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.arrays import codes, middle_ranks, number_pair, numbers


def test_truth_is_0_or_1() -> None:
    assert numbers([True, False]).tolist() == [1.0, 0.0]


def test_a_failure_is_never_a_number() -> None:
    with pytest.raises(UsageError, match="row 1 is nan; leave unscored rows out"):
        numbers([1.0, math.nan])


def test_a_table_is_no_vector() -> None:
    with pytest.raises(UsageError, match=r"shape \(1, 2\)"):
        numbers([[1.0, 2.0]])


def test_vectors_of_different_length_are_refused() -> None:
    with pytest.raises(UsageError, match="1 values cannot be paired with 2"):
        number_pair([1], [1, 2])


def test_codes_are_places_among_the_values_of_all() -> None:
    labels, (one, other) = codes(["b", "a"], ["c", "b", "b"])
    assert labels == ("a", "b", "c")
    assert one.tolist() == [1, 0]
    assert other.tolist() == [2, 1, 1]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_middle_ranks_are_those_of_scipy(values: list[int]) -> None:
    found = middle_ranks(np.array(values, dtype=np.float64))
    assert found.tolist() == stats.rankdata(values).tolist()
