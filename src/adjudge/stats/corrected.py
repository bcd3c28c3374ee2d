"""A mean of all rows as people would score them, from their labels of a few and a judge of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats
from adjudge.stats.clusters import Groups
from adjudge.stats.mean import mean, share
from adjudge.stats.stat import Stat, without_interval

FEWEST_LABELS = 20  # Independent labelled rows or groups; below, no interval can be trusted.


@dataclass(frozen=True, slots=True)
class Corrected:
    """The corrected mean `stat`, undefined with its reason where it must not be given.

    `method` is "ppi++", "stratified" or "rogan-gladen". `weight` is the share of the judge's scores
    in the mean, 0 where they add nothing. `classical` is the mean of the labels alone.
    `sensitivity` and `specificity` stand beside Rogan and Gladen's mean only.
    """

    stat: Stat
    method: str
    labelled: int
    unlabelled: int
    classical: Stat
    weight: float | None = None
    sensitivity: Stat | None = None
    specificity: Stat | None = None


def mean_of_labels(labels: Floats, groups: Groups, confidence: float) -> Stat:
    """What the labels say by themselves: a share where all are 0 or 1, else a mean.

    Labels that are all the same show no spread, and claim no interval of width 0.
    """
    if np.all((labels == 0) | (labels == 1)):
        return share(labels, groups, confidence)
    if np.ptp(labels) == 0:
        return without_interval(float(labels[0]), Reason("labels_constant"))
    return mean(labels, groups, confidence)


def too_few(clusters: int) -> Reason | None:
    """The reason to refuse, if so few independent labels are one."""
    if clusters >= FEWEST_LABELS:
        return None
    if clusters == 1:
        return Reason("one_label", least=FEWEST_LABELS)
    return Reason("too_few_labels", count=clusters, least=FEWEST_LABELS)
