"""What is measured on pairs of values, and its value without an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.alpha import LEVELS, Level, alpha_of_pairs
from adjudge.stats.arrays import Floats
from adjudge.stats.correlation import kendall, pearson, spearman
from adjudge.stats.kappa import cohen_kappa, quadratic_kappa

NAMES = ("exact", "adjacent", "bias", "mae", "pearson", "spearman", "kendall", "kappa", "alpha")
UNORDERED = Reason("unordered")


@dataclass(frozen=True, slots=True)
class Measure:
    """The level of the values, and how far apart two adjacent ones may lie, in their own units."""

    level: Level = "ordinal"
    tolerance: float = 1.0

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise UsageError(Reason("stats.level", level=self.level, known=tuple(LEVELS)))
        if self.tolerance < 0:
            raise UsageError(Reason("stats.tolerance", tolerance=self.tolerance))

    @property
    def ordered(self) -> bool:
        return self.level != "nominal"

    def near(self, one: Floats, other: Floats) -> Floats:
        """1 for each row whose two values are adjacent, else 0."""
        # The distance of 4.3 and 3.3 is a little more than 1 in binary.
        return (np.abs(one - other) <= self.tolerance + 1e-9).astype(np.float64)


def values(one: Floats, other: Floats, measure: Measure) -> dict[str, float | None]:
    """Every statistic in NAMES; None where it is undefined. Needs a row."""
    statistics: dict[str, float | None] = dict.fromkeys(NAMES)
    statistics["exact"] = float(np.mean(one == other))
    statistics["alpha"] = alpha_of_pairs(one, other, measure.level)
    if not measure.ordered:
        statistics["kappa"] = cohen_kappa(one, other)
        return statistics
    return statistics | {
        "adjacent": float(np.mean(measure.near(one, other))),
        "bias": float(np.mean(one - other)),
        "mae": float(np.mean(np.abs(one - other))),
        "pearson": pearson(one, other),
        "spearman": spearman(one, other),
        "kendall": kendall(one, other),
        "kappa": quadratic_kappa(one, other),
    }


def why_undefined(one: Floats, other: Floats, name: str, measure: Measure) -> Reason:
    """The reason why a statistic of these rows does not exist."""
    if not measure.ordered and name not in ("exact", "kappa", "alpha"):
        return UNORDERED
    if not len(one):
        return Reason("no_pairs")
    if len(one) == 1:
        return Reason("one_row")
    if np.ptp(one) == 0:
        return Reason("judge_constant")
    if np.ptp(other) == 0:
        return Reason("people_constant")
    return Reason("too_close")
