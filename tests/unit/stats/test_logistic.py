from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from statsmodels.api import GLM, families

from adjudge.stats.arrays import Floats
from adjudge.stats.logistic import Prior, fit

FREE = Prior(np.zeros(2), np.full(2, np.inf))


@pytest.fixture
def rows() -> tuple[Floats, Floats]:
    chance = np.random.default_rng(2)
    columns = np.stack([chance.normal(size=300), np.ones(300)], axis=1)
    return columns, chance.random(300) * 0.5 + 0.5 * (columns[:, 0] > 0)


def test_shares_as_statsmodels_fits_them(rows: tuple[Floats, Floats]) -> None:
    columns, share = rows
    oracle = GLM(share, columns, family=families.Binomial()).fit()
    found = fit(columns, share, FREE)
    assert found.coefficients == pytest.approx(oracle.params, abs=1e-6)
    assert found.covariance == pytest.approx(oracle.normalized_cov_params, abs=1e-6)


def test_a_prior_is_a_penalty_as_in_scikit_learn(rows: tuple[Floats, Floats]) -> None:
    columns, share = rows
    names = (share > 0.5).astype(int)
    oracle = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10).fit(columns, names)
    found = fit(columns, names.astype(float), Prior(np.zeros(2), np.full(2, 2.0)))
    assert found.coefficients == pytest.approx(oracle.coef_[0], abs=1e-5)


def test_a_narrow_prior_wins(rows: tuple[Floats, Floats]) -> None:
    prior = Prior(np.array([3.0, 0.0]), np.array([1e-9, np.inf]))
    assert fit(*rows, prior).coefficients[0] == pytest.approx(3, abs=1e-4)
