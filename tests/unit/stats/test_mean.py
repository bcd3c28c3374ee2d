from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.mean import mean


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30))
def test_without_groups_it_is_the_classical_t_interval(rows: list[float]) -> None:
    found = mean(rows, confidence=0.9)
    reach = stats.t.ppf(0.95, len(rows) - 1) * stats.sem(rows)
    assert found.value == pytest.approx(np.mean(rows))
    assert found.high == pytest.approx(np.mean(rows) + reach, abs=1e-9)


def test_with_groups_it_is_the_cluster_robust_one() -> None:
    chance = np.random.default_rng(0)
    groups = chance.integers(0, 12, 80)
    rows = chance.normal(size=80) + 0.1 * groups
    fit = sm.OLS(rows, np.ones(80)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    error = fit.bse[0] * np.sqrt(12 / 11)
    found = mean(rows, groups)
    assert found.low == pytest.approx(rows.mean() - stats.t.ppf(0.975, 11) * error)


def test_what_shows_no_spread_has_no_interval() -> None:
    assert str(mean([]).why) == "no rows"
    assert mean([3.0]).value == 3.0
    assert "no interval" in str(mean([3.0, 4.0], ["a", "a"]).why)
