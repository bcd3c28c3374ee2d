"""Everything that a report tells, found out before a word of it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from adjudge.analysis.browsing import RunIndex, RunOverview, Slices
from adjudge.analysis.browsing.rows import number_or_none
from adjudge.analysis.calibration import CalibrateOptions, Calibration, LabelSource, calibrate_run
from adjudge.analysis.cascade import is_cascade, stages_of
from adjudge.analysis.comparison import CompareOptions, Comparison, StoredRun, compare_runs
from adjudge.analysis.disagreement import Disagreements, DisagreeOptions, disagreements_of
from adjudge.analysis.panel import Panel, PanelOptions, panel_of
from adjudge.analysis.probing import Probed, probed_from
from adjudge.analysis.ranking import Ranking, RankOptions, rank_run
from adjudge.analysis.scores import Repeats, repeats_of
from adjudge.analysis.scores.reader import judges_of
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason, reason_of
from adjudge.errors import AdjudgeError, DataError, UsageError
from adjudge.running import ModelLike, RunOptions, Stage
from adjudge.stats.arrays import Floats
from adjudge.stores import Entry, RunRecord, Store, previous_run

IN_BRIEF = CompareOptions(movers=0)  # how a run is compared with the one before it
# The flags that an error of comparing may name, and a report does not have.
# What `compare` has options for, and a report has not.
_OF_COMPARE = ("compared.no_grader", "compared.same_verdicts", "compared.no_criterion")


@dataclass(frozen=True, slots=True)
class ItemInFull:
    """An item that is shown in full: all verdicts on it, and its mean over all criteria on 0-1,
    None where it has none."""

    unit: float | None
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """`slices` are columns of the data, each value of which gets a mean of its own; `worst` is how
    many of the lowest items, and as many of those without a score, are shown in full."""

    slices: tuple[str, ...] = ()
    worst: int = 10

    def __post_init__(self) -> None:
        if self.worst < 0:
            raise UsageError(Reason("options.how_many").at_option("worst", self.worst))


class KeptProbed(NamedTuple):
    """What probing a judge found out, and when it was kept."""

    created: str
    probed: Probed


class Combined(NamedTuple):
    """What several verdicts on an item come to; None for what a run does not have."""

    repeats: Repeats | None
    panel: Panel | None
    ranking: Ranking | None


@dataclass(frozen=True, slots=True)
class SinceLast:
    """The run before, and what changed from it; without a `comparison` where the two cannot be
    compared (`why`), or are not yet."""

    record: RunRecord
    judges: Mapping[str, Judge]
    comparison: Comparison | None = None
    why: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a run opens with. `ranking` is there where answers were judged in pairs; `last` is None
    for the first run of its judges on its data."""

    record: RunRecord
    judges: Mapping[str, Judge]
    overview: RunOverview
    ranking: Ranking | None = None
    last: SinceLast | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFindings:
    """One run. `stages` are those of a cascade that has come to its end; `calibrations` has one for
    each judge that people labelled items for, and `not_calibrated` says by judge why labels came to
    nothing. `probed` has the latest probes of its judges and models, those of several models at
    once as one."""

    record: RunRecord
    judges: Mapping[str, Judge]
    overview: RunOverview
    slices: tuple[Slices, ...]
    stages: tuple[Stage, ...]
    combined: Combined
    calibrations: tuple[Calibration, ...]
    disagreements: tuple[Disagreements, ...]
    not_calibrated: Mapping[str, str]
    probed: tuple[KeptProbed, ...]
    lowest: tuple[ItemInFull, ...]
    unscored: tuple[ItemInFull, ...]
    last: SinceLast | None = None

    @property
    def opening(self) -> Opening:
        return Opening(
            record=self.record,
            judges=self.judges,
            overview=self.overview,
            ranking=self.combined.ranking,
            last=self.last,
        )

    @property
    def not_probed(self) -> list[tuple[str, str]]:
        """The judges and models that were never probed."""
        known = {(probed.judge, model) for _, probed in self.probed for model in probed.models}
        asked = product(self.record.manifest.judges, self.record.manifest.models)
        return [pair for pair in asked if pair not in known]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """One run, or two with what changed from the first to the second."""

    runs: tuple[RunFindings, ...]
    comparison: Comparison | None = None


def gather(
    run: StoredRun,
    options: ReportOptions,
    *,
    labels: LabelSource | None = None,
    against: StoredRun | None = None,
) -> Findings:
    """What is to tell about the run, and what changed to `against` where that is given.

    People's labels are those of the store unless others are given. Nothing is kept. UsageError
    where the two runs cannot be compared, and for a column that the data do not have; DataError
    where the labels given fit no judge of a run.
    """
    comparison = None if against is None else _compared(run, against, options)
    runs = [run] if against is None else [run, against]
    return Findings(
        runs=tuple(_run(source, labels, options) for source in runs), comparison=comparison
    )


async def with_questions(
    findings: Findings, store: Store, writer: ModelLike, budget: str | None
) -> Findings:
    """The same with what the writer asks people about the rubrics, of the first run."""
    from adjudge.analysis.disagreement.clauses import ask_clauses  # noqa: PLC0415 - loads models

    first, *rest = findings.runs
    options = RunOptions(budget=budget)
    asked = [
        await ask_clauses(one, first.record, store, writer, options) for one in first.disagreements
    ]
    return replace(findings, runs=(replace(first, disagreements=tuple(asked)), *rest))


def _compared(a: StoredRun, b: StoredRun, options: ReportOptions) -> Comparison:
    try:
        return compare_runs(a, b, CompareOptions(slices=options.slices))
    except UsageError as error:
        if error.code not in _OF_COMPARE:
            raise
        raise UsageError(Reason("compared.other_command", why=reason_of(error))) from error


def _run(source: StoredRun, labels: LabelSource | None, options: ReportOptions) -> RunFindings:
    record, store = source
    index = RunIndex(record, store)
    calibrations, differences, failed = _calibrated(source, labels, index.judges, options.slices)
    return RunFindings(
        record=record,
        judges=index.judges,
        overview=index.overview(),
        slices=tuple(index.slices(column) for column in options.slices),
        stages=stages_of(record, store) if is_cascade(record) else (),
        combined=combine(source, index),
        calibrations=calibrations,
        disagreements=differences,
        not_calibrated=failed,
        probed=_probed(source),
        lowest=lowest_items(index, options.worst),
        unscored=unscored_items(index, options.worst),
        last=_last(source),
    )


def _last(source: StoredRun) -> SinceLast | None:
    previous = previous_run(source.record, source.store.runs.all())
    if previous is None:
        return None
    judges = judges_of(previous)
    try:
        comparison = compare_runs(StoredRun(previous, source.store), source, IN_BRIEF)
    except UsageError as error:
        return SinceLast(previous, judges, why=reason_of(error))
    return SinceLast(previous, judges, comparison)


def _calibrated(
    source: StoredRun,
    labels: LabelSource | None,
    judges: Mapping[str, Judge],
    slices: tuple[str, ...],
) -> tuple[tuple[Calibration, ...], tuple[Disagreements, ...], dict[str, str]]:
    """The judges that there are labels for beside people, as a whole and item by item, and why
    others are not."""
    record, store = source
    data = record.manifest.data_hash
    calibrations: list[Calibration] = []
    differences: list[Disagreements] = []
    failed: dict[str, AdjudgeError] = {}
    for name, judge in judges.items():
        scales = {criterion.name: criterion.scale for criterion in judge.rubric.measures.values()}
        try:
            own = labels(name, scales) if labels else store.labels.of(data, name)
            if own:
                people: LabelSource = lambda *_, own=own: own  # noqa: E731
                options = CalibrateOptions(judge=name, slices=slices)
                calibrations.append(calibrate_run(record, store, people, options, keep=False))
                if judge.method != "likelihood":
                    asked = DisagreeOptions(judge=name)
                    differences.append(disagreements_of(record, store, people, asked))
        except (DataError, UsageError) as error:
            failed[name] = error
    if labels is not None and failed and not calibrations:
        raise next(iter(failed.values()))
    return (
        tuple(calibrations),
        tuple(differences),
        {name: str(error) for name, error in failed.items()},
    )


def _probed(source: StoredRun) -> tuple[KeptProbed, ...]:
    """The latest probes of its judges and models; one where several models were probed at once."""
    probes: list[KeptProbed] = []
    manifest = source.record.manifest
    for judge, model in product(manifest.judges, manifest.models):
        if kept := source.store.probes.latest(judge, model):
            entry = KeptProbed(kept.created, probed_from(kept.content))
            probes += [] if entry in probes else [entry]
    return tuple(probes)


def can_combine(index: RunIndex) -> bool:
    """Whether there is anything to ask `combine` for: several samples, members, or pairs."""
    return len(index.graders) > 1 or index.has_disagreement


def combine(source: StoredRun, index: RunIndex) -> Combined:
    """Reads the whole run, so that large ones take a while."""
    return Combined(
        repeats_of(source.record, source.store),
        _panel(source, len(index.graders)),
        _ranking(source, index.judges),
    )


def _panel(source: StoredRun, graders: int) -> Panel | None:
    """None where no two members judge the same; those of a cascade share out the items."""
    if graders < 2 or is_cascade(source.record):
        return None
    try:
        return panel_of(source.record, source.store, lambda *_: (), PanelOptions())
    except UsageError:
        return None


def _ranking(source: StoredRun, judges: Mapping[str, Judge]) -> Ranking | None:
    """None where nothing was judged in pairs, or no columns name the systems."""
    if all(judge.pair is None for judge in judges.values()):
        return None
    try:
        return rank_run(source.record, source.store, RankOptions())
    except UsageError:
        return None


def lowest_items(index: RunIndex, most: int) -> tuple[ItemInFull, ...]:
    """The lowest mean first, of equals the first in the data; names and likelihoods, which lie on
    no scale from worst to best, do not count."""
    units = index.mean_units()
    scored = np.flatnonzero(np.isfinite(units))
    order = scored[np.lexsort((index.arrays.position[scored], units[scored]))]
    return _shown(index, order[:most].tolist(), units)


def unscored_items(index: RunIndex, most: int) -> tuple[ItemInFull, ...]:
    """Items that lack a score of some judge, model and criterion, in the order of the data."""
    lacking = np.zeros(len(index.arrays.items), dtype=np.bool_)
    for grader in index.graders:
        for criterion in grader.criteria:
            lacking |= grader.here & np.isnan(grader.values(criterion)) & ~grader.divided(criterion)
    places = np.flatnonzero(lacking)
    order = places[np.argsort(index.arrays.position[places], kind="stable")]
    return _shown(index, order[:most].tolist(), index.mean_units())


def _shown(index: RunIndex, places: Sequence[int], units: Floats) -> tuple[ItemInFull, ...]:
    return tuple(
        ItemInFull(number_or_none(units[at]), tuple(index.entries(index.arrays.items[at])))
        for at in places
    )
