"""How many more labels a corrected mean of a wished-for width takes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy.typing as npt

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import number_pair, numbers
from adjudge.stats.clusters import Groups, clusters
from adjudge.stats.corrected import FEWEST_LABELS, too_few
from adjudge.stats.correlation import pearson
from adjudge.stats.mean import standard_error, t_quantile


@dataclass(frozen=True, slots=True)
class LabelsNeeded:
    """`further` labels beside those there are, 0 where they suffice; None with the reason."""

    further: int | None
    why: Reason | None = None


def labels_needed(
    human: npt.ArrayLike,
    judge: npt.ArrayLike,
    judge_unlabelled: npt.ArrayLike,
    width: float,
    groups: Groups = None,
    *,
    confidence: float = 0.95,
) -> LabelsNeeded:
    """How many of the unlabelled rows to label until PPI++'s interval is `width` from end to end.

    Foresees with the spread and the correlation of the labels there are, which a few dozen labels
    tell roughly. With groups, new labels are taken to be as alike within a group as the old ones.
    """
    if not width > 0:
        raise UsageError(Reason("options.no_width", width=width))
    labels, scores = number_pair(human, judge)
    unlabelled = len(numbers(judge_unlabelled, "judge_unlabelled"))
    within = clusters(groups, len(labels))
    why = too_few(within.count)
    if why:
        return LabelsNeeded(None, why)
    variance = standard_error(labels, within) ** 2 * len(labels)
    shared = max(0.0, pearson(labels, scores) or 0.0) ** 2
    rows = len(labels) + unlabelled
    alike = len(labels) / within.count

    def reached(labelled: int) -> float:
        left = 1 - shared * (rows - labelled) / rows
        freedom = max(FEWEST_LABELS, round(labelled / alike)) - 2
        return 2 * t_quantile(confidence, freedom) * math.sqrt(variance * left / labelled)

    low, high = len(labels), rows
    if reached(low) <= width:
        return LabelsNeeded(0)
    if reached(high) > width:
        return LabelsNeeded(None, Reason("still_wide", rows=rows, width=reached(high)))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) <= width else (middle, high)
    return LabelsNeeded(high - len(labels))
