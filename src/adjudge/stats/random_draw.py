"""Do the labelled rows look like a random draw of all rows, as far as the judge's scores tell?

They may still not be one: two sets can be alike in the judge's scores and differ in people's. Only
a draw that was made at random and recorded as such is sure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats, codes, numbers

LIMIT = 0.01  # p below which a random draw would hardly look like this.
_FEW = 20  # Distinct scores up to which they are counted instead of ordered.


@dataclass(frozen=True, slots=True)
class DrawCheck:
    """`looks_random` is None where it cannot be told; `p` and `test` say how it was; `why`, why."""

    p: float | None
    looks_random: bool | None
    test: str | None
    why: Reason | None = None


def drawn_at_random(labelled: npt.ArrayLike, unlabelled: npt.ArrayLike) -> DrawCheck:
    """The judge's scores of labelled rows against those of the others.

    Chi-squared over the distinct scores where they are few, neighbours joined until 5 are expected
    of each; else Kolmogorov-Smirnov.
    """
    drawn, others = numbers(labelled, "labelled"), numbers(unlabelled, "unlabelled")
    if len(drawn) < 5 or len(others) < 5:
        return DrawCheck(None, None, None, Reason("few_drawn"))
    values, places = codes(drawn, others)
    if len(values) > _FEW:
        test = "kolmogorov-smirnov"
        p = float(scipy.stats.ks_2samp(drawn, others, method="asymp").pvalue)
    else:
        test = "chi-squared"
        counts = np.stack([np.bincount(side, minlength=len(values)) for side in places])
        p = _chi_squared(counts.astype(np.float64))
    return DrawCheck(p, p >= LIMIT, test, Reason("unlike", test=test, p=p) if p < LIMIT else None)


def _chi_squared(counts: Floats) -> float:
    joined = _joined(counts)
    if joined.shape[1] < 2:
        return 1.0
    return float(scipy.stats.chi2_contingency(joined, correction=False).pvalue)


def _joined(counts: Floats) -> Floats:
    """Neighbouring columns added up until at least 5 are expected in each cell."""
    smaller = counts.sum(axis=1).min() / counts.sum()
    columns: list[Floats] = []
    waiting = np.zeros(2)
    for column in counts.T:
        waiting = waiting + column
        if waiting.sum() * smaller >= 5:
            columns.append(waiting)
            waiting = np.zeros(2)
    if not columns:
        return waiting[:, None]
    columns[-1] = columns[-1] + waiting
    return np.stack(columns, axis=1)
