from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from adjudge.errors import UsageError
from adjudge.stats.krippendorff import LEVELS, Level, krippendorff_alpha

TABLES = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(2, 5)),
    elements=st.sampled_from([1.0, 2, 3, 4, 7, np.nan]),
)


@pytest.mark.parametrize("level", LEVELS)
@given(TABLES)
def test_as_the_package_has_it(level: Level, table: np.ndarray) -> None:
    kept = table[np.isfinite(table).sum(axis=1) >= 2]
    assume(len(np.unique(kept[np.isfinite(kept)])) > 1)
    theirs = krippendorff.alpha(kept.T, level_of_measurement=level)
    assert krippendorff_alpha(table, level) == pytest.approx(theirs, abs=1e-9)


def test_undefined_without_pairs_or_without_variety() -> None:
    assert krippendorff_alpha([[1, np.nan], [np.nan, 2]]) is None
    assert krippendorff_alpha([[2, 2], [2, 2]]) is None


def test_many_distinct_numbers_need_no_table() -> None:
    one = np.random.default_rng(0).normal(size=20_000)
    assert krippendorff_alpha(np.stack([one, one + 1e-9], axis=1)) == pytest.approx(1, abs=1e-6)


def test_wrong_input_is_named() -> None:
    with pytest.raises(UsageError, match="table items by raters"):
        krippendorff_alpha([1.0, 2.0])
    with pytest.raises(UsageError, match="nominal, ordinal, interval"):
        krippendorff_alpha([[1.0, 2.0]], "ratio")  # type: ignore[arg-type]
