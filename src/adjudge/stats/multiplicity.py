"""Many tests at once: p-values adjusted so that they can be read as if there were one.

Each function takes p-values in any order and gives the adjusted ones in the same order; None or
NaN, a test that could not be made, becomes NaN and does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints

PValues = npt.ArrayLike | Sequence[float | None]


def holm(p: PValues) -> Floats:
    """Holm's: bounds the chance of even one false finding, whatever the tests' dependence."""
    values, order = _ordered(p)
    steps = np.maximum.accumulate(np.arange(len(order), 0, -1) * values[order])
    return _back(values, order, steps)


def benjamini_yekutieli(p: PValues) -> Floats:
    """Benjamini and Yekutieli's: bounds the share of false findings, whatever the dependence."""
    values, order = _ordered(p)
    ranks = np.arange(1, len(order) + 1)
    raised = np.sum(1 / ranks) * len(order) / ranks * values[order]
    return _back(values, order, np.minimum.accumulate(raised[::-1])[::-1])


def _ordered(p: PValues) -> tuple[Floats, Ints]:
    values = np.asarray(p, dtype=np.float64)
    if np.any((values < 0) | (values > 1)):
        raise UsageError(Reason("stats.p_values", low=str(values.min()), high=str(values.max())))
    made = np.flatnonzero(~np.isnan(values))
    return values, made[np.argsort(values[made], kind="stable")]


def _back(values: Floats, order: Ints, adjusted: Floats) -> Floats:
    result = np.full_like(values, np.nan)
    result[order] = np.minimum(adjusted, 1)
    return result
