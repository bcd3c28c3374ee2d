from __future__ import annotations

import pytest

from adjudge.errors import UsageError
from adjudge.stats.mean import Bounds, bounds


def test_the_unscored_at_the_ends_of_the_scale() -> None:
    assert bounds([4, 5, 3], 1, 1, 5) == Bounds(3.25, 4.0, 4.25)
    assert bounds([4], 0, 1, 5) == Bounds(4, 4, 4)


def test_without_scores_the_ends_are_all_that_is_known() -> None:
    assert bounds([], 2, 1, 5) == Bounds(1, None, 5)
    assert bounds([], 0, 1, 5) == Bounds(None, None, None)


def test_wrong_input_is_named() -> None:
    with pytest.raises(UsageError, match=r"6\.0 lies outside the scale"):
        bounds([6], 0, 1, 5)
    with pytest.raises(UsageError, match="-1 unscored"):
        bounds([3], -1, 1, 5)
