from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.random_draw import drawn_at_random


@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_a_random_draw_seldom_fails(levels: int) -> None:
    chance = np.random.default_rng(0)
    failed = 0
    for _ in range(300):
        scores = chance.integers(0, levels, 600)
        failed += drawn_at_random(scores[:60], scores[60:]).looks_random is False
    assert failed <= 10


@pytest.mark.parametrize(("levels", "test"), [(5, "chi-squared"), (1000, "kolmogorov-smirnov")])
def test_labels_of_the_best_rows_are_found_out(levels: int, test: str) -> None:
    scores = np.sort(np.random.default_rng(0).integers(0, levels, 600))
    found = drawn_at_random(scores[-60:], scores[:-60])
    assert found.looks_random is False
    assert found.test == test
    assert "differ from the others" in str(found.why)


def test_chi_squared_as_scipy_has_it() -> None:
    drawn, others = np.repeat([1, 2, 3], [20, 30, 10]), np.repeat([1, 2, 3], [200, 200, 200])
    theirs = stats.chi2_contingency([[20, 30, 10], [200, 200, 200]]).pvalue
    assert drawn_at_random(drawn, others).p == pytest.approx(theirs)


def test_rare_scores_are_joined_with_their_neighbours() -> None:
    drawn, others = np.repeat([1, 2, 3], [1, 40, 1]), np.repeat([1, 2, 3], [1, 400, 3])
    assert drawn_at_random(drawn, others).p == 1
    assert drawn_at_random([2] * 10, [2] * 10).looks_random


def test_too_few_to_tell() -> None:
    assert drawn_at_random([1, 2], [1, 2, 3, 4, 5]).looks_random is None
