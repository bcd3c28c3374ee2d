from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind

from adjudge.stats.unpaired import unpaired_difference


def test_is_welchs_t_test() -> None:
    chance = np.random.default_rng(0)
    one, other = chance.normal(3, 1, 40), chance.normal(2.5, 3, 25)
    expected = ttest_ind(one, other, equal_var=False)
    seen = unpaired_difference(one, other)
    assert seen.p == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval(0.95)
    assert (seen.difference.low, seen.difference.high) == pytest.approx((low, high))
    assert (seen.n_first, seen.n_second) == (40, 25)


def test_groups_count_and_not_rows() -> None:
    """Copies of a row tell nothing new."""
    one, other = [1.0, 2.0, 3.0, 5.0], [2.0, 4.0, 4.0]
    plain = unpaired_difference(one, other)
    copied = unpaired_difference(one * 9, other * 9, [*range(4)] * 9, [*range(3)] * 9)
    assert copied.p == pytest.approx(plain.p)
    assert copied.difference.low == pytest.approx(plain.difference.low)


def test_what_is_undefined() -> None:
    assert unpaired_difference([], [1.0]).difference.value is None
    assert unpaired_difference([1.0], [2.0, 3.0]).difference.low is None
    alike = unpaired_difference([2.0, 2.0], [1.0, 1.0])
    assert (alike.difference.value, alike.difference.low, alike.p) == (1.0, None, None)
