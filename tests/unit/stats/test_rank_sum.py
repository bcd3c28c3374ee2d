from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from adjudge.stats.unpaired import rank_sums


@pytest.mark.parametrize("levels", [3, 1000])
def test_as_scipy_has_it(levels: int) -> None:
    draw = np.random.default_rng(4)
    values = draw.integers(levels, size=60).astype(np.float64)
    members = draw.random((20, 60)) < 0.3
    expected = [
        mannwhitneyu(values[one], values[~one], alternative="greater", method="asymptotic").pvalue
        for one in members
    ]
    assert rank_sums(values, members) == pytest.approx(expected)


def test_nothing_to_compare() -> None:
    members = np.array([[True, True], [False, False], [True, False]])
    assert np.isnan(rank_sums(np.array([1.0, 2.0]), members)).tolist() == [True, True, False]
    assert np.isnan(rank_sums(np.array([1.0, 1.0]), members)).all()
