from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from adjudge.errors import UsageError
from adjudge.stats.multiplicity import benjamini_yekutieli, holm

METHODS = {"holm": holm, "fdr_by": benjamini_yekutieli}


@settings(max_examples=20)  # theirs collects garbage at every call
@pytest.mark.parametrize("method", METHODS)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_as_statsmodels_has_it(method: str, p: list[float]) -> None:
    assert METHODS[method](p) == pytest.approx(multipletests(p, method=method)[1])


@pytest.mark.parametrize("method", METHODS.values())
def test_a_test_that_was_not_made_does_not_count(method: object) -> None:
    found = method([0.01, np.nan, 0.02])  # type: ignore[operator]
    assert np.isnan(found[1])
    assert found[[0, 2]] == pytest.approx(method([0.01, 0.02]))  # type: ignore[operator]
    assert method([]).tolist() == []  # type: ignore[operator]


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        holm([0.5, 1.5])
