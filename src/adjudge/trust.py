"""What runs that are in the store say about their judges and about what was judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.analysis.gates import parse_gates
from adjudge.core.label import Label
from adjudge.extras import require
from adjudge.reports.display import show_calibrations, show_comparisons, show_rankings

from .blocking import wait_for
from .run_handle import Run, listed, using

if TYPE_CHECKING:
    from adjudge.analysis.calibration import Calibration, LabelSource
    from adjudge.analysis.cascade import Cascaded
    from adjudge.analysis.comparison import Comparison
    from adjudge.analysis.comparison.unpaired import UnpairedComparison
    from adjudge.analysis.labelling.plan_findings import LabelPlan
    from adjudge.analysis.panel import Panel
    from adjudge.analysis.ranking import Ranking
    from adjudge.core.scale import Scale
    from adjudge.datasets import DataLike
    from adjudge.running import ModelLike
    from adjudge.stats.combine import How


def calibrate(
    run: str | Run = "latest",
    *,
    labels: DataLike | None = None,
    group: str | None = None,
    system: str | None = None,
    slices: str | Sequence[str] = (),
    judge: str | None = None,
    model: str | None = None,
    width: float | None = None,
    epsilon: float = 0.1,
    confidence: float = 0.95,
    rounds: int = 1000,
    seed: int = 0,
    gate: str | Sequence[str] = (),
    store: str | None = None,
) -> Calibration:
    """A run beside people's labels.

    run: an open run, or what `open_run` takes.
    labels: a file, or rows in memory as `run` takes them; None takes the labels in the store.
    group: the column whose equal values belong together.
    system: the column that names who wrote a text; system means are correlated with people's, and
        within each group, a document.
    slices: columns of the data; agreement and means are also given for each of their values, with
        intervals that hold for all of them at once.
    judge, model: which one, where the run has several.
    width: how wide the interval of the corrected mean should be, in units of the scale.
    epsilon: how much worse than a person a judge may be that replaces one, a share from 0 to 1; the
        authors of the test advise 0.1 for crowd workers, 0.15 for trained people, 0.2 for experts.
    confidence, rounds, seed: of the intervals, which are made by resampling.
    gate: what must hold; the results are in `Calibration.gates`.
    store: where the run is kept.
    """
    require("trust", "adjudge.calibrate()")
    from adjudge.analysis.calibration import CalibrateOptions, calibrate_run  # noqa: PLC0415 - numpy

    chosen = CalibrateOptions(
        group=group,
        system=system,
        slices=listed(slices),
        judge=judge,
        model=model,
        width=width,
        epsilon=epsilon,
        confidence=confidence,
        rounds=rounds,
        seed=seed,
        gates=parse_gates(listed(gate)),
    )
    show_calibrations()
    with using(run, store) as opened:
        return calibrate_run(opened.record, opened._store, labels_of_run(opened, labels), chosen)


def plan_labels(
    run: str | Run = "latest",
    *,
    width: float | None = None,
    against: str | Run | None = None,
    labels: DataLike | None = None,
    judge: str | None = None,
    criteria: str | Sequence[str] = (),
    slice: str | None = None,  # noqa: A002 - the flag's name
    confidence: float = 0.95,
    seed: int = 0,
    keep: bool = True,
    store: str | None = None,
) -> LabelPlan:
    """How many labels to give next, and of which items.

    run: an open run, or what `open_run` takes.
    width: how wide the interval of the corrected mean should be, in units of the scale.
    against: another run on the same items; the plan then shows which one is nearer to people.
    labels: the labels there are, as in `calibrate`; None takes those in the store.
    judge: which one, where the run has several.
    criteria: names; none takes all.
    slice: a column of the data; its values get labels of their own.
    confidence: of the intervals.
    seed: which items are drawn.
    keep: in the store, for `adjudge label --pick planned`.
    store: where the run is kept.
    """
    require("trust", "adjudge.plan_labels()")
    from adjudge.analysis.labelling.plan import PlanOptions  # noqa: PLC0415 - loads numpy
    from adjudge.analysis.labelling.plan import plan_labels as plan_of  # noqa: PLC0415

    chosen = PlanOptions(
        judge=judge,
        criteria=listed(criteria),
        slice=slice,
        width=width,
        confidence=confidence,
        seed=seed,
    )
    beside = nullcontext() if against is None else using(against, store)
    with using(run, store) as first, beside as second:
        other = None if second is None else (second.record, second._store)
        source = labels_of_run(first, labels)
        plan = plan_of(first.record, first._store, source, chosen, other)
        if keep and plan.items:
            data = first.record.manifest.data_hash
            first._store.labels.keep_plan(data, plan.judge, plan.kept)
            first._store.sync()
        return plan


def panel(
    run: str | Run = "latest",
    *,
    how: How | None = None,
    judges: str | Sequence[str] = (),
    models: str | Sequence[str] = (),
    labels: DataLike | None = None,
    seed: int = 0,
    store: str | None = None,
) -> Panel:
    """The verdicts of a run's models and judges, combined into one per item.

    run: an open run, or what `open_run` takes.
    how: the way of combining; None is the mean, and for names the majority.
    judges, models: the members; all where none is named.
    labels: as in `calibrate`, for weights and for what the panel is worth; None takes the labels
        in the store.
    seed: deals the labels into folds.
    store: where the run is kept.
    """
    require("trust", "adjudge.panel()")
    from adjudge.analysis.panel import PanelOptions, panel_of  # noqa: PLC0415 - loads numpy

    chosen = PanelOptions(how=how, judges=listed(judges), models=listed(models), seed=seed)
    with using(run, store) as opened:
        return panel_of(opened.record, opened._store, labels_of_run(opened, labels), chosen)


def labels_of_run(run: Run, labels: DataLike | None) -> LabelSource:
    """From a file or from rows in memory, or else from the store."""
    from adjudge.datasets import read_labels  # noqa: PLC0415

    def labels_of(judge: str, scales: Mapping[str, Scale]) -> list[Label]:
        if labels is not None:
            return read_labels(labels, scales)
        return run._store.labels.of(run.record.manifest.data_hash, judge)

    return labels_of


def cascade(run: str | Run = "latest", *, store: str | None = None) -> Cascaded:
    """What a run with `cascade=CascadeOptions(…)` decided, and what it left to people.

    run: an open run, or what `open_run` takes.
    store: where the run is kept.
    """
    from adjudge.analysis.cascade import cascade_of  # noqa: PLC0415

    with using(run, store) as opened:
        return cascade_of(opened.record, opened._store)


def compare(
    run_a: str | Run,
    run_b: str | Run,
    *,
    judge_a: str | None = None,
    judge_b: str | None = None,
    model_a: str | None = None,
    model_b: str | None = None,
    criteria: str | Sequence[str] = (),
    slices: str | Sequence[str] = (),
    group: str | None = None,
    match: str | Sequence[str] = (),
    detect: float | None = None,
    movers: int = 5,
    confidence: float = 0.95,
    rounds: int = 1000,
    seed: int = 0,
    store: str | None = None,
) -> Comparison:
    """Two runs item by item; differences are B minus A.

    run_a, run_b: open runs, or what `open_run` takes.
    judge_a, judge_b, model_a, model_b: which one, where a run has several.
    criteria: names, or `A=B` where the runs use two names; none takes all that both have.
    slices: columns of the data; the difference is also given for each of their values.
    group: the column whose equal values belong together.
    match: columns whose equal values pair two items, in place of their ids.
    detect: a difference that should not be missed, in units of the scale.
    movers: how many of the items that moved most are shown.
    confidence, rounds, seed: of the intervals, which are made by resampling.
    store: where the runs are kept.
    """
    require("trust", "adjudge.compare()")
    from adjudge.analysis.comparison import CompareOptions, StoredRun, compare_runs  # noqa: PLC0415 - numpy

    chosen = CompareOptions(
        judge_a=judge_a,
        judge_b=judge_b,
        model_a=model_a,
        model_b=model_b,
        criteria=listed(criteria),
        slices=listed(slices),
        group=group,
        match=listed(match),
        detect=detect,
        movers=movers,
        confidence=confidence,
        rounds=rounds,
        seed=seed,
    )
    show_comparisons()
    with using(run_a, store) as a, using(run_b, store) as b:
        return compare_runs(StoredRun(a.record, a._store), StoredRun(b.record, b._store), chosen)


def compare_unpaired(
    run_a: str | Run,
    run_b: str | Run,
    *,
    judge_a: str | None = None,
    judge_b: str | None = None,
    model_a: str | None = None,
    model_b: str | None = None,
    criteria: str | Sequence[str] = (),
    group: str | None = None,
    confidence: float = 0.95,
    store: str | None = None,
) -> UnpairedComparison:
    """The means of two runs on separate sets of items; differences are B minus A.

    run_a, run_b: open runs, or what `open_run` takes.
    judge_a, judge_b, model_a, model_b, criteria: as in `compare`.
    group: the column whose equal values belong together; intervals count groups.
    confidence: of the intervals, which are those of Welch's t test.
    store: where the runs are kept.
    """
    from adjudge.analysis.comparison import CompareOptions, StoredRun  # noqa: PLC0415 - numpy
    from adjudge.analysis.comparison.unpaired import compare_means  # noqa: PLC0415

    chosen = CompareOptions(
        judge_a=judge_a,
        judge_b=judge_b,
        model_a=model_a,
        model_b=model_b,
        criteria=listed(criteria),
        group=group,
        confidence=confidence,
    )
    with using(run_a, store) as a, using(run_b, store) as b:
        return compare_means(StoredRun(a.record, a._store), StoredRun(b.record, b._store), chosen)


def rank(
    run: str | Run = "latest",
    *,
    a: str | None = None,
    b: str | None = None,
    system: str | None = None,
    group: str | None = None,
    slices: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    baseline: str | None = None,
    variants: str | Sequence[str] = (),
    judge: str | None = None,
    model: str | None = None,
    criteria: str | Sequence[str] = (),
    confidence: float = 0.95,
    rounds: int = 1000,
    seed: int = 0,
    store: str | None = None,
) -> Ranking:
    """The systems of a run in order of strength.

    run: an open run, or what `open_run` takes.
    a, b: the columns that name the two systems of a pair.
    system: the column that names the system of a row that was scored alone.
    group: the column whose equal values belong to one question.
    slices: columns; each of their values gets a ranking of its own.
    by: the earlier name of `slices`.
    baseline: the system that length-controlled rates are against.
    variants: the baseline itself, made to write longer or shorter.
    judge, model: which one, where the run has several.
    criteria: names; none takes all.
    confidence, rounds, seed: of the intervals, which are made by resampling.
    store: where the run is kept.
    """
    require("trust", "adjudge.rank()")
    from adjudge.analysis.ranking import RankOptions, rank_run  # noqa: PLC0415 - loads numpy

    chosen = RankOptions(
        a=a,
        b=b,
        system=system,
        group=group,
        by=(*listed(slices), *listed(by)),
        baseline=baseline,
        variants=listed(variants),
        judge=judge,
        model=model,
        criteria=listed(criteria),
        confidence=confidence,
        rounds=rounds,
        seed=seed,
    )
    show_rankings()
    with using(run, store) as opened:
        return rank_run(opened.record, opened._store, chosen)


def report(
    run: str | Run,
    out: str | Path | Sequence[str | Path],
    *,
    against: str | Run | None = None,
    labels: DataLike | None = None,
    slices: str | Sequence[str] = (),
    worst: int = 10,
    lang: str = "en",
    writer: ModelLike | None = None,
    budget: str | None = None,
    store: str | None = None,
) -> list[Path]:
    """Writes a report on a run.

    run: an open run, or what `open_run` takes.
    out: one file or several that end in .html or .md.
    against: another run that is compared with it.
    labels: people's, as in `calibrate`; None takes the labels in the store.
    slices: columns of the data; means are also given for each of their values.
    worst: how many of the lowest items, and of those without a score, are shown in full.
    lang: language of the report.
    writer, budget: as in `disagreements`.
    store: where the runs are kept.
    """
    require("web", "adjudge.report()")
    from adjudge.analysis.comparison import StoredRun  # noqa: PLC0415
    from adjudge.reports.report import (  # noqa: PLC0415 - loads numpy and matplotlib
        ReportOptions,
        check_report_path,
        gather,
        report_strings,
        with_questions,
        write_report,
    )

    paths = [Path(out)] if isinstance(out, str | Path) else [Path(path) for path in out]
    for path in paths:
        check_report_path(path)
    say = report_strings(lang)
    chosen = ReportOptions(slices=listed(slices), worst=worst)
    beside = nullcontext() if against is None else using(against, store)
    with using(run, store) as first, beside as second:
        source = StoredRun(first.record, first._store)
        other = None if second is None else StoredRun(second.record, second._store)
        people = None if labels is None else labels_of_run(first, labels)
        findings = gather(source, chosen, labels=people, against=other)
        if writer is not None:
            findings = wait_for(with_questions(findings, first._store, writer, budget))
    for path in paths:
        write_report(path, findings, say)
    return paths
