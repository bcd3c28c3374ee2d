from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from adjudge.stats.kappa import cohen_kappa, quadratic_kappa

LEVELS = st.integers(1, 5)
PAIRS = st.lists(st.tuples(LEVELS, LEVELS), min_size=1, max_size=40)


@given(PAIRS)
def test_cohen_as_scikit_learn_has_it(rows: list[tuple[int, int]]) -> None:
    one, other = np.array(rows).T
    if len({*one, *other}) == 1:
        assert cohen_kappa(one, other) is quadratic_kappa(one, other) is None
        return
    assert cohen_kappa(one, other) == pytest.approx(cohen_kappa_score(one, other))
    weighted = cohen_kappa_score(one, other, weights="quadratic", labels=[1, 2, 3, 4, 5])
    assert quadratic_kappa(one, other) == pytest.approx(weighted)


def test_names_need_no_numbers() -> None:
    assert cohen_kappa(["A", "B", "tie"], ["A", "B", "A"]) == pytest.approx(0.5)
    assert cohen_kappa([], []) is None


def test_a_level_that_nobody_used_keeps_its_place() -> None:
    assert quadratic_kappa([1, 5, 1, 5], [1, 5, 5, 5]) == pytest.approx(
        quadratic_kappa([1, 2, 1, 2], [1, 2, 2, 2])
    )
    assert quadratic_kappa([1, 2, 5, 5], [1, 2, 2, 5]) != pytest.approx(
        quadratic_kappa([1, 2, 3, 3], [1, 2, 2, 3])
    )
