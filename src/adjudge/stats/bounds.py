"""What the mean could be at worst and at best, were the unscored rows scored. Without scipy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import numbers


@dataclass(frozen=True, slots=True)
class Bounds:
    """`mean` is over the scored rows alone; it lies between `worst` and `best` over all rows."""

    worst: float | None
    mean: float | None
    best: float | None


def bounds(values: npt.ArrayLike, unscored: int, lowest: float, highest: float) -> Bounds:
    """The mean if every unscored row had the scale's lowest value, and if it had the highest.

    In units of the scale; without any assumption about why rows went unscored. `mean` is None
    without scored rows, the others without rows at all.
    """
    scored = numbers(values)
    if unscored < 0 or lowest > highest:
        raise UsageError(Reason("stats.bounds", unscored=unscored, lowest=lowest, highest=highest))
    outside = scored[(scored < lowest) | (scored > highest)]
    if len(outside):
        raise UsageError(
            Reason("stats.outside", value=str(outside[0]), lowest=lowest, highest=highest)
        )
    rows = len(scored) + unscored
    if not rows:
        return Bounds(None, None, None)
    total = float(scored.sum())
    return Bounds(
        (total + unscored * lowest) / rows,
        total / len(scored) if len(scored) else None,
        (total + unscored * highest) / rows,
    )
