"""Everything that a report tells, found out before a word of it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.analysis.browsing.overview import RunOverview
from adjudge.analysis.browsing.slicing import Slices
from adjudge.analysis.calibration import Calibration
from adjudge.analysis.comparison import Comparison
from adjudge.analysis.paneled import Panel
from adjudge.analysis.ranking import Ranking
from adjudge.analysis.repeats import Repeats
from adjudge.core.judge import Judge
from adjudge.errors import UsageError
from adjudge.stores.records import RunRecord

from .lowest import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """`slices` are columns of the data, each value of which gets a mean of its own; `worst` is how
    many of the lowest items, and as many of those without a score, are shown in full."""

    slices: tuple[str, ...] = ()
    worst: int = 10

    def __post_init__(self) -> None:
        if self.worst < 0:
            raise UsageError(f"--worst {self.worst}: name how many items to show, or 0.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFindings:
    """One run. `repeats`, `panel` and `ranking` are None where it has none; `calibrations` has one
    for each judge that people labelled items for, and `not_calibrated` says by judge why labels
    came to nothing."""

    record: RunRecord
    judges: Mapping[str, Judge]
    overview: RunOverview
    slices: tuple[Slices, ...]
    repeats: Repeats | None
    panel: Panel | None
    ranking: Ranking | None
    calibrations: tuple[Calibration, ...]
    not_calibrated: Mapping[str, str]
    lowest: tuple[Shown, ...]
    unscored: tuple[Shown, ...]

    def title(self, judge: str, criterion: str) -> str:
        """What people call a criterion of one of its judges."""
        return self.judges[judge].rubric.title(criterion)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """One run, or two with what changed from the first to the second."""

    runs: tuple[RunFindings, ...]
    comparison: Comparison | None = None
