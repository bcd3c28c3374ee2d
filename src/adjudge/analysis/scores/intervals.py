"""The mean of a criterion over items with its interval. Loads scipy, which the arrays do not."""

from __future__ import annotations

import numpy as np

from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, value_range
from adjudge.stats.arrays import Ints
from adjudge.stats.mean import Bounds, bounds, mean, mean_share, share
from adjudge.stats.stat import Stat, undefined

from .grader import CriterionScores

CONFIDENCE = 0.95
NO_MEAN = Reason("no_mean")


def mean_of(
    scores: CriterionScores, groups: Ints | None = None, confidence: float = CONFIDENCE
) -> tuple[Stat, Bounds | None]:
    """`CriterionScores.mean` with its interval; and within which bounds it would lie were every
    item without a score at an end of the scale. `groups` has the group of every item of the run.

    Yes and no have Wilson's interval, over repeats too; the others end where the scale ends.
    Likelihoods have no scale, and so no bounds.
    """
    if scores.named:
        return undefined(NO_MEAN), None
    here = np.isfinite(scores.values)
    values = scores.values[here]
    of = None if groups is None else groups[scores.places[here]]
    if not isinstance(scores.scale, Binary) or not scores.on_scale:
        stat = mean(values, of, confidence)
    elif bool(np.isin(values, (0, 1)).all()):
        stat = share(values, of, confidence)
    else:
        stat = mean_share(values, of, confidence)
    ends = value_range(scores.scale) if scores.on_scale else None
    if ends is None:
        return stat, None
    return stat.within(*ends), bounds(values, int((~here).sum()), *ends)
