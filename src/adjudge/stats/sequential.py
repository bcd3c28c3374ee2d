"""A test that may be looked at after every check, for as long as one likes.

Check number t (the first comparison is 1) may raise an alarm by itself at a level of
alpha / (t (t + 1)). These levels sum to alpha, so that the chance of any false alarm, ever, is at
most alpha. Nothing is assumed about how the checks depend on each other: all of them are compared
with the same first one.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from adjudge.stats.arrays import numbers

_CELLS = 100_000  # of the table of sums: differences are rounded to fit
_FINEST = 1000  # parts that the largest difference is divided into at the most


def level_of(check: int, alpha: float) -> float:
    """What the comparison number `check`, from 1, may spend of `alpha`."""
    return alpha / (check * (check + 1))


def sign_flip_p(differences: npt.ArrayLike) -> float:
    """The two-sided p of a mean of paired differences, exact: all patterns of signs are counted.

    It holds where, without a change, each difference is as likely with the other sign, as those of
    two replies to the same question are. Differences are rounded to at most a thousandth of the
    largest one. 1.0 without any difference.
    """
    rows = numbers(differences)
    largest = float(np.abs(rows).max(initial=0.0))
    if not largest:
        return 1.0
    parts = max(10, min(_FINEST, _CELLS // len(rows)))
    steps = np.rint(np.abs(rows) / largest * parts).astype(int)
    signed = np.where(rows < 0, -steps, steps)
    total = int(steps.sum())
    chances = np.zeros(2 * total + 1)
    chances[total] = 1.0
    for step in steps[steps > 0].tolist():
        spread = np.zeros_like(chances)
        spread[step:] += chances[:-step] / 2
        spread[:-step] += chances[step:] / 2
        chances = spread
    seen = abs(int(signed.sum()))
    if not seen:
        return 1.0
    return float(min(1.0, chances[: total - seen + 1].sum() + chances[total + seen :].sum()))


def reachable(n: int, level: float) -> bool:
    """Whether n differences can come to the level: all with the same sign is the least likely."""
    return 2.0 ** (1 - n) <= level


def detectable(sd: float, n: int, level: float) -> float | None:
    """The smallest shift of the mean that 9 of 10 checks find, by the normal curve; None where none
    can be found, and where no two differences tell how much they vary."""
    if not sd > 0 or not reachable(n, level):
        return None
    return float((ndtri(1 - level / 2) + ndtri(0.9)) * sd / math.sqrt(n))
