"""What runs that are in the store say about their judges and about what was judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.analysis.gates import parse_gates
from adjudge.core.label import Label

from .kept_run import Run, listed, using

if TYPE_CHECKING:
    from adjudge.analysis.calibrate import LabelSource
    from adjudge.analysis.calibration import Calibration
    from adjudge.analysis.cascade import Cascaded
    from adjudge.analysis.comparison import Comparison
    from adjudge.analysis.paneled import Panel
    from adjudge.analysis.ranking import Ranking
    from adjudge.core.scale import Scale


def calibrate(
    run: str | Run = "latest",
    *,
    labels: str | Path | None = None,
    gate: str | Sequence[str] = (),
    store: str | None = None,
    **options: Any,
) -> Calibration:
    """A run beside people's labels, from a file or else from the store.

    Options as in CalibrateOptions. What became of the gates is in `Calibration.gates`.
    """
    from adjudge.analysis.calibrate import CalibrateOptions, calibrate_run  # noqa: PLC0415 - numpy

    chosen = CalibrateOptions(gates=parse_gates(listed(gate)), **options)
    with using(run, store) as opened:
        return calibrate_run(opened.record, opened._store, _labels(opened, labels), chosen)


def panel(
    run: str | Run = "latest",
    *,
    labels: str | Path | None = None,
    store: str | None = None,
    **options: Any,
) -> Panel:
    """The verdicts of a run's models and judges made one an item. Options as in PanelOptions."""
    from adjudge.analysis.panel import PanelOptions, panel_of  # noqa: PLC0415 - loads numpy

    for name in ("judges", "models"):
        options[name] = tuple(listed(options.get(name, ())))
    chosen = PanelOptions(**options)
    with using(run, store) as opened:
        return panel_of(opened.record, opened._store, _labels(opened, labels), chosen)


def _labels(run: Run, file: str | Path | None) -> LabelSource:
    """From a file, or else from the store."""
    from adjudge.datasets.labels import read_labels  # noqa: PLC0415

    def given(judge: str, scales: Mapping[str, Scale]) -> list[Label]:
        if file is not None:
            return read_labels(Path(file), scales)
        return run._store.labels.of(run.record.manifest.data_hash, judge)

    return given


def cascade(run: str | Run = "latest", *, store: str | None = None) -> Cascaded:
    """What a run with `cascade=CascadeOptions(…)` decided, and what it left to people."""
    from adjudge.analysis.cascade import cascade_of  # noqa: PLC0415

    with using(run, store) as opened:
        return cascade_of(opened.record, opened._store)


def compare(
    run_a: str | Run, run_b: str | Run, *, store: str | None = None, **options: Any
) -> Comparison:
    """Two runs item by item; differences are B minus A. Options as in CompareOptions."""
    from adjudge.analysis.compare import compare_runs  # noqa: PLC0415 - loads numpy
    from adjudge.analysis.comparison import CompareOptions  # noqa: PLC0415
    from adjudge.analysis.sides import Source  # noqa: PLC0415

    chosen = CompareOptions(**options)
    with using(run_a, store) as a, using(run_b, store) as b:
        return compare_runs(Source(a.record, a._store), Source(b.record, b._store), chosen)


def rank(run: str | Run = "latest", *, store: str | None = None, **options: Any) -> Ranking:
    """The systems of a run in order of strength. Options as in RankOptions."""
    from adjudge.analysis.rank import rank_run  # noqa: PLC0415 - loads numpy
    from adjudge.analysis.ranking import RankOptions  # noqa: PLC0415

    chosen = RankOptions(**options)
    with using(run, store) as opened:
        return rank_run(opened.record, opened._store, chosen)


def report(
    run: str | Run,
    out: str | Path | Sequence[str | Path],
    *,
    against: str | Run | None = None,
    labels: str | Path | None = None,
    lang: str = "en",
    store: str | None = None,
    **options: Any,
) -> list[Path]:
    """Writes what there is to tell about a run, and about `against` compared with it, to one file
    or several that end in .html or .md. Options as in ReportOptions."""
    from adjudge.analysis.sides import Source  # noqa: PLC0415
    from adjudge.reports.document import (  # noqa: PLC0415 - loads numpy and matplotlib
        ReportOptions,
        check_report_path,
        gather,
        write_report,
    )
    from adjudge.reports.strings import strings_for  # noqa: PLC0415

    paths = [Path(out)] if isinstance(out, str | Path) else [Path(each) for each in out]
    for path in paths:
        check_report_path(path)
    say, chosen = strings_for(lang), ReportOptions(**options)
    with ExitStack() as opened:
        first = opened.enter_context(using(run, store))
        source = Source(first.record, first._store)
        other = None
        if against is not None:
            second = opened.enter_context(using(against, store))
            other = Source(second.record, second._store)
        given = None if labels is None else _labels(first, labels)
        found = gather(source, chosen, labels=given, against=other)
    for path in paths:
        write_report(path, found, say)
    return paths
