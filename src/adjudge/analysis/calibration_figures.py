"""The figures of a calibration that gates can be about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from adjudge.core.scale import Category
from adjudge.stats.measure import UNORDERED
from adjudge.stats.stat import Stat, undefined

from .calibration import Calibration, CriterionCalibration
from .corrected import raw_mean
from .gates import Gate, Judged, evaluate
from .run_figures import lookup_in, share_of
from .run_scores import Grader


def judge_calibration(gates: Sequence[Gate], found: Calibration) -> tuple[Judged, ...]:
    """Every gate against every judge and model that was calibrated and has its criterion."""
    parts = {each.grader.name: each.criteria for each in found.graders}

    def figure(grader: Grader, gate: Gate) -> Stat:
        scored = grader.criteria[gate.criterion]
        if gate.condition is not None:
            return share_of(scored, gate.condition)
        criterion = parts[grader.name].get(gate.criterion)
        if criterion is not None:
            return _figure(criterion, gate.what)
        if gate.what == "mean":
            return raw_mean(scored, None, found.confidence)[0]
        return undefined("there are no labels for it")

    return evaluate(gates, lookup_in([each.grader for each in found.graders], figure))


def _figure(criterion: CriterionCalibration, what: str) -> Stat:
    if what == "mean":
        return criterion.means.raw
    if what == "corrected":
        return criterion.means.corrected.stat
    if what == "n":
        return Stat(float(criterion.n), why="a count has no interval")
    if not what.startswith("group_"):
        return cast(Stat, getattr(criterion.overall, what))
    if criterion.by_group is None:
        return undefined(why_no_groups(criterion))
    return cast(Stat, getattr(criterion.by_group, what.removeprefix("group_")))


def why_no_groups(criterion: CriterionCalibration) -> str:
    """Why a criterion has no correlations by group."""
    if isinstance(criterion.scale, Category):
        return UNORDERED
    return "no groups: name their column with --group"
