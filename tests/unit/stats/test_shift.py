from __future__ import annotations

import pytest

from adjudge.stats.proportion import rate
from adjudge.stats.shift import flip_rate, mean_shift


def test_flips_of_any_kind_of_value() -> None:
    assert flip_rate(["A", "B", "A"], ["A", "A", "A"]) == rate(1, 3)
    assert flip_rate([], []).why == "no rows"


def test_a_shift_is_after_minus_before() -> None:
    found = mean_shift([0.5, 0.25, 0.5], [0.75, 0.5, 0.5])
    assert found.value == pytest.approx(1 / 6)
    assert found.low < found.value < found.high  # type: ignore[operator]
