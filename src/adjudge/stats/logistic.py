"""Logistic regression of a share on columns, with a normal prior on each coefficient."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from adjudge.stats.arrays import Floats

_STEP, _STEPS, _CLOSE = 2.0, 100, 1e-9


class Prior(NamedTuple):
    """A mean and a variance per coefficient; an infinite variance says nothing."""

    mean: Floats
    variance: Floats


class Fit(NamedTuple):
    """`covariance` is the inverse of the curvature at the top, prior included."""

    coefficients: Floats
    covariance: Floats


def fit(columns: Floats, share: Floats, prior: Prior) -> Fit:
    """The coefficients that make the shares (0-1) and the prior most likely, in log-odds."""
    weight = 1 / prior.variance
    coefficients = np.where(np.isinf(prior.variance), 0.0, prior.mean)
    for _ in range(_STEPS):
        expected = expit(columns @ coefficients)
        slope = columns.T @ (share - expected) - weight * (coefficients - prior.mean)
        bend = (columns * (expected * (1 - expected))[:, None]).T @ columns + np.diag(weight)
        step = np.linalg.solve(bend, slope)
        longest = float(np.abs(step).max())
        coefficients = coefficients + step * min(1.0, _STEP / max(longest, _STEP))
        if longest < _CLOSE:
            break
    return Fit(coefficients, np.linalg.inv(bend))
