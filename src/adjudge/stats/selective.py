"""From which confidence on a judge may be trusted to agree with people, with a guarantee.

Thresholds of a grid that is fixed beforehand are tested from the highest down, each with an exact
binomial bound, and the last one before the first failure is taken: fixed-sequence testing, which
needs no correction for the number of thresholds (Jung, Brahman, Choi 2024, "Trust or Escalate").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from adjudge.core.reason import Reason, check_share
from adjudge.stats.arrays import numbers, same_length

_SAME = 1e-9  # 3/5 of five samples is 0.6, however it was computed
# For confidences that are probabilities.
PROBABILITIES = (0.99, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.5, 0.4, 0.0)


@dataclass(frozen=True, slots=True)
class TestedThreshold:
    """A threshold: so many labelled items lie at or above it, so many of them agree with people,
    and the agreement of all items there is at least `bound` at the level of the test."""

    threshold: float
    n: int
    agreed: int
    bound: float


@dataclass(frozen=True, slots=True)
class Selection:
    """`chosen` is None where no threshold keeps the promise, and `why` says why. `needed` labelled
    items must lie above a threshold for even a faultless record to pass."""

    chosen: TestedThreshold | None
    tested: tuple[TestedThreshold, ...]
    needed: int
    why: Reason | None = None


def select(
    confidence: npt.ArrayLike,
    agrees: npt.ArrayLike,
    grid: Sequence[float],
    *,
    agree: float,
    delta: float,
) -> Selection:
    """The lowest threshold of the grid above which agreement is shown to be at least `agree`.

    The rows are a random draw of the items; `agrees` is 1 where the judge and people agree. In at
    most a share `delta` of such draws the items above the threshold agree less than promised.
    Thresholds with too few rows above them to pass in any case are not tested; that this keeps the
    promise is shown by simulation only (tests/unit/stats/test_selective.py).
    """
    sure, right = numbers(confidence, "confidence"), numbers(agrees, "agrees")
    same_length(sure, right)
    check_share("agree", agree, 0.9)
    check_share("delta", delta, 0.1)
    needed = rows_needed(agree, delta)
    tested: list[TestedThreshold] = []
    chosen = None
    for threshold in sorted(grid, reverse=True):
        above = sure >= threshold - _SAME
        n, agreed = int(above.sum()), round(float(right[above].sum()))
        if n < needed:
            continue
        tested.append(TestedThreshold(threshold, n, agreed, lower_bound(agreed, n, delta)))
        if tested[-1].bound < agree:
            break
        chosen = tested[-1]
    return Selection(chosen, tuple(tested), needed, None if chosen else _why(tested, needed, sure))


def rows_needed(agree: float, delta: float) -> int:
    """The fewest rows that can show an agreement, if all of them agree."""
    return int(np.ceil(np.log(delta) / np.log(agree) - _SAME))


def lower_bound(hits: int, total: int, delta: float) -> float:
    """Clopper and Pearson's exact lower bound of a share, one-sided: wrong at most `delta` often.

    0 where there is no hit.
    """
    return float(betaincinv(hits, total - hits + 1, delta)) if hits else 0.0


def _why(tested: Sequence[TestedThreshold], needed: int, sure: npt.NDArray[np.float64]) -> Reason:
    if not tested:
        return Reason("few_sure", count=len(sure), needed=needed)
    first = tested[0]
    figures = {"threshold": first.threshold, "agreed": first.agreed, "bound": first.bound}
    return Reason("unproven", count=first.n, **figures)
