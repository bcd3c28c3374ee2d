"""A mean of all rows as people would score them, from their labels of a few and a judge of all:
prediction-powered mean, PPI++ (Angelopoulos, Duchi and Zrnic 2023), for rows in clusters.

The mean of the labels, moved by `weight` times how far the judge's mean of the unlabelled rows lies
from its mean of the labelled ones. The weight is the one with the least variance; a judge that says
nothing about people gets weight 0, and the classical interval remains. Labels must be a random draw
of all rows, see random_draw.py; that is all that is assumed, however bad the judge. `labels_needed`
says how many more labels a given width takes.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.core.reason import Reason, check_above_0
from adjudge.stats.arrays import Floats, number_pair, numbers
from adjudge.stats.bootstrap import Clusters, Groups, clusters
from adjudge.stats.correlation import pearson
from adjudge.stats.mean import mean, share, standard_error, t_quantile
from adjudge.stats.stat import Stat, undefined, without_interval


def ppi_mean(
    human: npt.ArrayLike,
    judge: npt.ArrayLike,
    judge_unlabelled: npt.ArrayLike,
    groups: Groups = None,
    groups_unlabelled: Groups = None,
    *,
    confidence: float = 0.95,
) -> Corrected:
    """The mean that people would give over the population that the rows were drawn from.

    `human` and `judge` are the labelled rows, `judge_unlabelled` the judge's scores of the others;
    groups may reach over both. The interval is never wider than the classical one of the labels
    alone: it is t's, with a degree of freedom less for the weight that was fitted.
    """
    labels, scores = number_pair(human, judge)
    others = numbers(judge_unlabelled, "judge_unlabelled")
    listed = None if groups is None else list(groups)
    classical = mean_of_labels(labels, listed, confidence)
    count = clusters(listed, len(labels)).count
    why = too_few(count)
    if why:
        return Corrected(undefined(why), "ppi++", len(labels), len(others), classical)
    stat, weight = classical, 0.0
    if len(others):
        within = joint_clusters(listed, groups_unlabelled, len(labels), len(others))
        # What each cluster adds to the error: of the labels, and of the judge per unit of weight.
        own = np.concatenate([(labels - labels.mean()) / len(labels), np.zeros(len(others))])
        judged = (scores.mean() - scores) / len(scores), (others - others.mean()) / len(others)
        by_labels, by_judge = within.sums(own), within.sums(np.concatenate(judged))
        below = float(np.dot(by_judge, by_judge))
        # That of least variance; not below 0, for no judge is trusted upside down.
        best = max(0.0, -float(np.dot(by_labels, by_judge)) / below) if below > 0 else 0.0
        error = by_labels + best * by_judge
        spread = math.sqrt(float(np.dot(error, error)) * count / (count - 2))
        value = float(labels.mean()) + best * float(others.mean() - scores.mean())
        by_both = Stat.around(value, t_quantile(confidence, count - 2) * spread)
        if best and _width(by_both) < _width(classical):
            stat, weight = by_both, best
    return Corrected(stat, "ppi++", len(labels), len(others), classical, weight)


def joint_clusters(groups: Groups, others: Groups, labelled: int, unlabelled: int) -> Clusters:
    """Clusters of the labelled rows, then the unlabelled; a label means the same in both."""
    if groups is None and others is None:
        return clusters(None, labelled + unlabelled)
    names: list[Hashable] = []
    for side, (labels, rows) in enumerate(((groups, labelled), (others, unlabelled))):
        # Rows without labels of their own are groups of one, unlike any other.
        names += [("row", side, row) for row in range(rows)] if labels is None else list(labels)
    return clusters(names, labelled + unlabelled)


def _width(stat: Stat) -> float:
    return math.inf if stat.low is None or stat.high is None else stat.high - stat.low


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
    check_above_0("width", width)
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

    there = len(labels)
    if reached(there) <= width:
        return LabelsNeeded(0)
    if reached(rows) > width:
        return LabelsNeeded(None, Reason("still_wide", rows=rows, width=reached(rows)))
    needed = bisect_left(range(rows), True, there, key=lambda count: reached(count) <= width)
    return LabelsNeeded(needed - there)


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
