"""Many tests at once: p-values adjusted so that they can be read as if there were one.

Each function takes p-values in any order and gives the adjusted ones in the same order; None or
NaN, a test that could not be made, becomes NaN and does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats

PValues = npt.ArrayLike | Sequence[float | None]


def holm(p: PValues) -> Floats:
    """Holm's: bounds the chance of even one false finding, whatever the tests' dependence."""
    values = _checked(p)
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    steps = np.maximum.accumulate(np.arange(len(order), 0, -1) * values[order])
    values[order] = np.minimum(steps, 1)
    return values


def benjamini_yekutieli(p: PValues) -> Floats:
    """Benjamini and Yekutieli's: bounds the share of false findings, whatever the dependence."""
    values = _checked(p)
    made = ~np.isnan(values)
    values[made] = scipy.stats.false_discovery_control(values[made], method="by")
    return values


def _checked(p: PValues) -> Floats:
    values = np.array(p, dtype=np.float64)
    if np.any((values < 0) | (values > 1)):
        raise UsageError(Reason("stats.p_values", low=str(values.min()), high=str(values.max())))
    return values
