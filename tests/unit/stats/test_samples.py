from __future__ import annotations

import math
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.samples import Spread, is_decided, spread, steps


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


@pytest.mark.parametrize(
    ("values", "to_come", "decided"),
    [
        ([4, 4, 4], 2, True),
        ([4, 4, 2], 2, False),
        ([4, 4], 2, False),  # a tie is still possible
        ([4, 4, 4, 2], 1, True),
        ([], 1, False),
        ([], 0, True),
        ([4, 2], 0, True),
    ],
)
def test_when_it_is_decided(values: list[int], to_come: int, decided: bool) -> None:
    assert is_decided(values, to_come) is decided


@pytest.mark.parametrize("samples", range(1, 12))
def test_steps_are_all_samples_in_order(samples: int) -> None:
    assert [each for step in steps(samples) for each in step] == list(range(samples))


@pytest.mark.parametrize("samples", range(1, 12))
def test_less_than_the_first_step_decides_nothing(samples: int) -> None:
    first = next(iter(steps(samples)))
    assert is_decided([1] * len(first), samples - len(first))
    assert not is_decided([1] * (len(first) - 1), samples - len(first) + 1)


@given(st.lists(st.integers(1, 3) | st.none(), min_size=1, max_size=11))
def test_the_early_majority_is_that_of_all(samples: list[int | None]) -> None:
    """None is a sample without a value."""
    for taken in range(len(samples)):
        early = [value for value in samples[:taken] if value is not None]
        if is_decided(early, len(samples) - taken):
            whole = Counter(value for value in samples if value is not None).most_common()
            assert Counter(early).most_common(1)[0][0] == whole[0][0]
            assert len(whole) == 1 or whole[0][1] > whole[1][1]


@given(st.lists(st.integers(1, 3), max_size=4), st.integers(1, 3))
def test_it_stops_as_soon_as_it_may(values: list[int], to_come: int) -> None:
    """Undecided: some way to go on leaves another value in the lead, or two of them."""
    ends = (Counter([*values, *more]) for more in product((1, 2, 3, 4), repeat=to_come))
    leaders = {tuple(v for v, n in each.items() if n == max(each.values())) for each in ends}
    assert is_decided(values, to_come) == (len(leaders) == 1 and len(next(iter(leaders))) == 1)
