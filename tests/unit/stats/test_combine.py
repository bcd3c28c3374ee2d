from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from adjudge.errors import UsageError
from adjudge.stats.combine import HOWS, How, combine

NAN = float("nan")


@pytest.mark.parametrize(
    ("how", "row", "value"),
    [
        ("mean", [1, 2, 6], 3),
        ("median", [1, 2, 6], 2),
        ("median", [1, 2, 3, NAN], 2),
        ("trimmed", [1, 2, 6], 2),
        ("trimmed", [1, 2, 4, 9], 3),
        ("trimmed", [1, 5, NAN], 3),  # below three nothing is trimmed
        ("majority", [4, 2, 4], 4),
        ("majority", [4, 4, NAN], 4),
    ],
)
def test_by_hand(how: How, row: list[float], value: float) -> None:
    assert combine([row], how).values.tolist() == [value]


def test_weights() -> None:
    assert combine([[1, 5]], "weighted", weights=[0.75, 0.25]).values.tolist() == [2]
    assert combine([[0, 1, 1]], "weighted", names=True, weights=[0.6, 0.2, 0.2]).values[0] == 0
    # a missing member's weight falls to the others
    assert combine([[NAN, 5]], "weighted", weights=[0.75, 0.25]).values.tolist() == [5]


def test_who_weighs_nothing_has_no_say() -> None:
    found = combine([[NAN, 5]], "weighted", weights=[1.0, 0.0])
    assert np.isnan(found.values).all()
    assert not found.few.any()


def test_a_tie_has_no_value() -> None:
    found = combine([[4, 2], [4, 4]], "majority")
    assert np.isnan(found.values[0])
    assert found.tied.tolist() == [True, False]


@pytest.mark.parametrize("how", [how for how in HOWS if how != "weighted"])
def test_fewer_than_half_is_not_enough(how: How) -> None:
    found = combine([[4, NAN, NAN], [4, 4, NAN], [NAN, NAN, NAN]], how)
    assert found.few.tolist() == [True, False, True]
    assert np.isfinite(found.values).tolist() == [False, True, False]
    assert not found.tied.any()


def test_one_of_two_is_half() -> None:
    assert combine([[4, NAN]], "mean").values.tolist() == [4]


@pytest.mark.parametrize("how", [how for how in HOWS if how != "weighted"])
@given(
    table=st_numpy.arrays(np.float64, (5, 4), elements=st.integers(1, 5).map(float) | st.just(NAN))
)
def test_the_order_of_members_changes_nothing(how: How, table: np.ndarray) -> None:  # type: ignore[type-arg]
    one, other = combine(table, how), combine(table[:, ::-1], how)
    np.testing.assert_array_equal(one.values, other.values)
    here = np.isfinite(one.values)
    assert (one.values[here] >= 1).all()
    assert (one.values[here] <= 5).all()


@pytest.mark.parametrize(("how", "said"), [("best", "write one of"), ("weighted", "are missing")])
def test_what_makes_no_sense(how: How, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        combine([[1, 2]], how)
