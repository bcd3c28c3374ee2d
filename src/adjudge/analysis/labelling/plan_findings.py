"""What a plan for labels says: per criterion, per stratum, and item by item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.core.label import Draw
from adjudge.core.reason import Reason
from adjudge.stats.ppi import LabelsNeeded
from adjudge.stats.stat import Stat
from adjudge.stores import KeptLabelPlan


@dataclass(frozen=True, slots=True)
class CriterionPlan:
    """`now` is the mean that people would give as far as the labels tell, or how much nearer the
    first run is to them than the other. `width` is wished for. Further labels: by the `plan` for
    this criterion alone, drawn at `random` and corrected as `calibrate` does, and drawn at random
    without the judge (`alone`)."""

    name: str
    labelled: int
    now: Stat
    width: float
    plan: LabelsNeeded
    random: LabelsNeeded
    alone: int

    @property
    def saved(self) -> float | None:
        """The share of all labels that the plan saves beside random drawing; below 0, it costs."""
        if self.plan.further is None or self.random.further is None:
            return None
        both = self.labelled + self.random.further
        return 1 - (self.labelled + self.plan.further) / both


@dataclass(frozen=True, slots=True)
class PlannedStratum:
    """`low` and `high` are scores on 0-1, or differences of two runs; `apart` is None where nothing
    is known of disagreement."""

    number: int
    slices: tuple[str, ...]
    low: float
    high: float
    apart: float | None
    items: int
    labelled: int
    further: int


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """`items` are those to label, in order; `draws` says how each was drawn, and also those that
    have labels, with `values` as people said. `rows` is how many items the plan is about. `pilot`
    says why the plan is a first random sample alone.
    """

    run: str
    judge: str
    against: str | None
    confidence: float
    names: tuple[str, ...]
    rows: int
    criteria: tuple[CriterionPlan, ...]
    strata: tuple[PlannedStratum, ...]
    items: tuple[str, ...]
    draws: Mapping[str, Draw]
    values: Mapping[tuple[str, str], float]
    pilot: Reason | None = None

    @property
    def further(self) -> int:
        return sum(stratum.further for stratum in self.strata) if self.strata else len(self.items)

    @property
    def kept(self) -> KeptLabelPlan:
        return KeptLabelPlan(self.draws, frozenset(self.draws) - frozenset(self.items))
