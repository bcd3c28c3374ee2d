"""Runs → what a report tells about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from adjudge.analysis.browsing.index import RunIndex
from adjudge.analysis.calibrate import CalibrateOptions, LabelSource, calibrate_run
from adjudge.analysis.calibration import Calibration
from adjudge.analysis.cascade import is_cascade, stages_of
from adjudge.analysis.compare import compare_runs
from adjudge.analysis.comparison import CompareOptions, Comparison
from adjudge.analysis.panel import PanelOptions, panel_of
from adjudge.analysis.paneled import Panel
from adjudge.analysis.probing.keeping import probed_from
from adjudge.analysis.rank import rank_run
from adjudge.analysis.ranking import Ranking, RankOptions
from adjudge.analysis.repeats import repeats_of
from adjudge.analysis.sides import Source
from adjudge.core.judge import Judge
from adjudge.core.label import Label
from adjudge.errors import AdjudgeError, DataError, UsageError

from .findings import Findings, KeptProbed, ReportOptions, RunFindings
from .lowest import lowest_items, unscored_items

# The flags that an error of comparing may name, and a report does not have.
_OF_COMPARE = ("--judge-", "--model-", "--criterion")


def gather(
    run: Source,
    options: ReportOptions,
    *,
    labels: LabelSource | None = None,
    against: Source | None = None,
) -> Findings:
    """What is to tell about the run, and what changed to `against` where that is given.

    People's labels are those of the store unless others are given. Nothing is kept. UsageError
    where the two runs cannot be compared, and for a column that the data do not have; DataError
    where the labels given fit no judge of a run.
    """
    comparison = None if against is None else _compared(run, against, options)
    runs = [run] if against is None else [run, against]
    return Findings(runs=tuple(_run(each, labels, options) for each in runs), comparison=comparison)


def _compared(a: Source, b: Source, options: ReportOptions) -> Comparison:
    try:
        return compare_runs(a, b, CompareOptions(slices=options.slices))
    except UsageError as error:
        if not any(flag in str(error) for flag in _OF_COMPARE):
            raise
        raise UsageError(f"{error} (These are flags of adjudge compare.)") from error


def _run(source: Source, labels: LabelSource | None, options: ReportOptions) -> RunFindings:
    record, store = source
    index = RunIndex(record, store)
    calibrations, failed = _calibrated(source, labels, index.judges)
    return RunFindings(
        record=record,
        judges=index.judges,
        overview=index.summary(),
        slices=tuple(index.slices(column) for column in options.slices),
        stages=stages_of(record, store) if is_cascade(record) else (),
        repeats=repeats_of(record, store.scores(record.id)),
        panel=_panel(source, len(index.graders)),
        ranking=_ranking(source, index.judges),
        calibrations=calibrations,
        not_calibrated=failed,
        probed=_probed(source),
        lowest=lowest_items(index, options.worst),
        unscored=unscored_items(index, options.worst),
    )


def _calibrated(
    source: Source, labels: LabelSource | None, judges: Mapping[str, Judge]
) -> tuple[tuple[Calibration, ...], dict[str, str]]:
    """The judges that there are labels for beside people, and why others are not."""
    found: list[Calibration] = []
    failed: dict[str, AdjudgeError] = {}
    for name, judge in judges.items():
        scales = {each.name: each.scale for each in judge.rubric.criteria.values()}
        try:
            given = (labels or _kept(source))(name, scales)
            if given:
                found.append(_beside(source, name, given))
        except (DataError, UsageError) as error:
            failed[name] = error
    if labels is not None and failed and not found:
        raise next(iter(failed.values()))
    return tuple(found), {name: str(error) for name, error in failed.items()}


def _kept(source: Source) -> LabelSource:
    data = source.record.manifest.data_hash
    return lambda judge, _: source.store.labels.of(data, judge)


def _beside(source: Source, judge: str, labels: Sequence[Label]) -> Calibration:
    options = CalibrateOptions(judge=judge)
    return calibrate_run(source.record, source.store, lambda *_: labels, options, keep=False)


def _probed(source: Source) -> tuple[KeptProbed, ...]:
    """The latest probes of its judges and models; one where several models were probed at once."""
    found: list[KeptProbed] = []
    manifest = source.record.manifest
    for judge, model in product(manifest.judges, manifest.models):
        kept = source.store.probes.latest(judge, model)
        if kept is None:
            continue
        told = KeptProbed(kept.created, probed_from(kept.content))
        if told not in found:
            found.append(told)
    return tuple(found)


def _panel(source: Source, graders: int) -> Panel | None:
    """None where no two members judge the same."""
    if graders < 2:
        return None
    try:
        return panel_of(source.record, source.store, lambda *_: (), PanelOptions())
    except UsageError:
        return None


def _ranking(source: Source, judges: Mapping[str, Judge]) -> Ranking | None:
    """None where nothing was judged in pairs, or no columns name the systems."""
    if all(judge.pair is None for judge in judges.values()):
        return None
    try:
        return rank_run(source.record, source.store, RankOptions())
    except UsageError:
        return None
