"""Everything that a report tells, found out before a word of it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from adjudge.analysis.browsing.overview import RunOverview
from adjudge.analysis.browsing.slicing import Slices
from adjudge.analysis.calibration import Calibration
from adjudge.analysis.comparison import Comparison
from adjudge.analysis.paneled import Panel
from adjudge.analysis.probing.findings import Probed
from adjudge.analysis.ranking import Ranking
from adjudge.analysis.repeats import Repeats
from adjudge.core.judge import Judge
from adjudge.errors import UsageError
from adjudge.running.cascade_stages import Stage
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


class KeptProbed(NamedTuple):
    """What probing a judge found out, and when it was kept."""

    created: str
    found: Probed


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFindings:
    """One run. `stages` are those of a cascade that has come to its end; `repeats`, `panel` and
    `ranking` are None where it has none; `calibrations` has one for each judge that people labelled
    items for, and `not_calibrated` says by judge why labels came to nothing. `probed` has the
    latest probes of its judges and models, those of several models at once as one."""

    record: RunRecord
    judges: Mapping[str, Judge]
    overview: RunOverview
    slices: tuple[Slices, ...]
    stages: tuple[Stage, ...]
    repeats: Repeats | None
    panel: Panel | None
    ranking: Ranking | None
    calibrations: tuple[Calibration, ...]
    not_calibrated: Mapping[str, str]
    probed: tuple[KeptProbed, ...]
    lowest: tuple[Shown, ...]
    unscored: tuple[Shown, ...]

    def title(self, judge: str, criterion: str) -> str:
        """What people call a criterion of one of its judges."""
        return self.judges[judge].rubric.title(criterion)

    @property
    def not_probed(self) -> list[tuple[str, str]]:
        """The judges and models that were never probed."""
        known = {(found.judge, model) for _, found in self.probed for model in found.models}
        asked = product(self.record.manifest.judges, self.record.manifest.models)
        return [each for each in asked if each not in known]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """One run, or two with what changed from the first to the second."""

    runs: tuple[RunFindings, ...]
    comparison: Comparison | None = None
