from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.majority import is_decided, steps


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
def test_by_hand(values: list[int], to_come: int, decided: bool) -> None:
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
