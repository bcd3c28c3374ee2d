from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from adjudge.errors import UsageError
from adjudge.stats.conformal import calibrate_scores, folds_of, isotonic

ROWS = st.lists(st.tuples(st.integers(1, 8), st.floats(0, 10)), min_size=1, max_size=40)


@given(ROWS)
def test_as_scikit_learn_has_it(rows: list[tuple[int, float]]) -> None:
    judge, human = np.array(rows).T
    theirs = IsotonicRegression(out_of_bounds="clip").fit(judge, human)
    asked = np.linspace(0, 9, 37)
    assert isotonic(judge, human)(asked) == pytest.approx(theirs.predict(asked), abs=1e-6)


def test_no_row_is_mapped_by_its_own_label() -> None:
    human = np.zeros(30)
    human[7] = 1000
    assert calibrate_scores(np.arange(30.0), human).residuals[7] == 1000


def test_groups_stay_in_one_fold() -> None:
    groups = np.repeat(np.arange(20), 4)
    fold = folds_of(groups, 80, 5, seed=1)
    assert np.bincount(fold).tolist() == [16] * 5
    assert all(len(set(fold[groups == group])) == 1 for group in range(20))


def test_wrong_input_is_named() -> None:
    with pytest.raises(UsageError, match="no labelled rows"):
        isotonic([], [])
    with pytest.raises(UsageError, match="1 folds"):
        folds_of(None, 10, 1, 0)
    with pytest.raises(UsageError, match="single row or group"):
        folds_of(["a", "a"], 2, 2, 0)
