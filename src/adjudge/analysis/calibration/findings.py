"""What calibrating came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.analysis.calibration.pairs import LabelledPairs
from adjudge.analysis.gates.conditions import GateResult
from adjudge.analysis.scores.grader import GraderScores
from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Scale
from adjudge.errors import UsageError
from adjudge.stats.agreement import Agreement, ByGroup, Confusion
from adjudge.stats.measure import UNORDERED
from adjudge.stats.stat import Stat

from .agreement import Raters, SystemAgreement
from .means import Means
from .score_map import ScoreMap
from .slices import Slicing


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionCalibration(Agreement):
    """One criterion of a judge and model, and how far it agrees with people.

    `n` items have a score and a label; `items` are all, `unscored` of which have no score and
    `lost` of these a label; `split` are labelled items whose raters are divided, and `uncertain` of
    the `n` were picked as uncertain. `alphas` has Krippendorff's alpha at each level. `score_map`
    is the map, or why there is none. `chance` says why the judge is not shown to be better than
    chance, None where it is. `pairs` are the scores and labels themselves.
    """

    name: str
    scale: Scale
    items: int
    unscored: int
    lost: int
    split: int
    uncertain: int
    alphas: Mapping[str, Stat]
    by_group: ByGroup | None
    by_system: SystemAgreement | None
    by_slice: Slicing | None
    confusion: Confusion | None
    means: Means
    raters: Raters | None
    score_map: ScoreMap | Reason
    chance: Reason | None
    pairs: LabelledPairs


@dataclass(frozen=True, slots=True)
class GraderCalibration:
    """One judge and model. `unlabelled` are the criteria without labels, `elsewhere` counts labels
    of items that the run does not have, and `not_kept` says why nothing was kept for later runs."""

    grader: GraderScores
    criteria: Mapping[str, CriterionCalibration]
    unlabelled: tuple[str, ...]
    elsewhere: int
    not_kept: Reason | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """A run beside people, a part for each judge and model; `group` is the column whose items
    belong together, `items` are the ids of all in the order of their places. `title` is what people
    call the run."""

    run: str
    group: str | None
    confidence: float
    items: tuple[str, ...]
    graders: tuple[GraderCalibration, ...]
    gates: tuple[GateResult, ...] = ()
    title: str = ""

    @property
    def criteria(self) -> Mapping[str, CriterionCalibration]:
        """By name, where there is one judge and model; else name them."""
        if len(self.graders) == 1:
            return self.graders[0].criteria
        known = ", ".join(part.grader.name for part in self.graders)
        raise UsageError(Reason("run.several", run=self.run, known=known))


def why_no_groups(criterion: CriterionCalibration) -> Reason:
    """Why a criterion has no correlations by group."""
    if isinstance(criterion.scale, Category):
        return UNORDERED
    return Reason("no_group_column")
