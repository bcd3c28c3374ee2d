from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.correlation import kendall, pearson, spearman

PAIRS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=40)


@given(PAIRS)
def test_as_scipy_has_it(rows: list[tuple[int, int]]) -> None:
    one, other = np.array(rows, dtype=float).T
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        assert pearson(one, other) is spearman(one, other) is kendall(one, other) is None
        return
    assert pearson(one, other) == pytest.approx(stats.pearsonr(one, other).statistic, abs=1e-9)
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-9)


@given(PAIRS)
def test_kendall_counts_pairs(rows: list[tuple[int, int]]) -> None:
    one, other = np.array(rows, dtype=float).T
    signs = [np.sign(side[:, None] - side) for side in (one, other)]
    below = np.sqrt(np.sum(signs[0] ** 2) * np.sum(signs[1] ** 2))
    tau = kendall(one, other)
    assert tau is None if below == 0 else tau == pytest.approx(np.sum(signs[0] * signs[1]) / below)


@pytest.mark.parametrize("statistic", [pearson, spearman, kendall])
def test_nothing_to_correlate(statistic: object) -> None:
    assert statistic([], []) is None  # type: ignore[operator]
    assert statistic([1], [2]) is None  # type: ignore[operator]


def test_large_and_small_values_lose_nothing() -> None:
    assert pearson([1e200, 2e200, 3e200], [1e-200, 2e-200, 3e-200]) == pytest.approx(1)
