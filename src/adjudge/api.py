"""The Python front: each function once, async, with a one-line twin for code that is not.

The twins also work where a loop already runs, as in notebooks: the work then happens in a thread.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.analysis.gates import (
    RUN_FIGURES,
    Gate,
    Judged,
    check_gates,
    check_scales,
    parse_gates,
)
from adjudge.analysis.label_import import Imported, import_labels
from adjudge.analysis.labelling import Labelling, Session, judge_of, open_session, scales_of
from adjudge.analysis.repeats import Repeats, repeats_of
from adjudge.core.judge import Judge
from adjudge.core.label import Label
from adjudge.core.prompt import Prompt
from adjudge.core.verdict import Verdict
from adjudge.datasets.items import single_item
from adjudge.datasets.sources import reads
from adjudge.errors import UsageError
from adjudge.judges.prompting import prompting
from adjudge.models import registry as models
from adjudge.models.check import Check, check
from adjudge.models.findings import keep
from adjudge.reports.formats import check_path, write_file
from adjudge.reports.gates import gate_blocks
from adjudge.reports.label_rows import check_label_path, write_labels
from adjudge.reports.page import as_markdown
from adjudge.reports.repeats import item_rows
from adjudge.reports.rows import Row, verdict_row
from adjudge.running.asking.asker import Asker
from adjudge.running.asking.budget import Ledger
from adjudge.running.asking.limits import Limits
from adjudge.running.asking.stop import Stop
from adjudge.running.call import Caller
from adjudge.running.fitting import Fitter, judge_fitted
from adjudge.running.foresee import Forecast
from adjudge.running.foresee import foresee as foresee_all
from adjudge.running.one import judge_one
from adjudge.running.options import RunOptions
from adjudge.running.plan import load_judge, load_judges
from adjudge.running.reread import Reread, judge_as_kept, reread_run
from adjudge.running.run import Watcher
from adjudge.running.run import run as run_all
from adjudge.running.summary import Summary, summarise
from adjudge.settings import dotenv
from adjudge.stores.base import Entry, RunRecord, Store
from adjudge.stores.registry import open_store, path_of

if TYPE_CHECKING:
    import polars

    from adjudge.analysis.calibrate import LabelSource
    from adjudge.analysis.calibration import Calibration
    from adjudge.analysis.cascade import Cascaded
    from adjudge.analysis.comparison import Comparison
    from adjudge.analysis.paneled import Panel
    from adjudge.analysis.probing.findings import Probed
    from adjudge.analysis.probing.probe import Probing, Watch
    from adjudge.analysis.ranking import Ranking
    from adjudge.core.scale import Scale

T = TypeVar("T")


class Run:
    """A run in a store: its summary, its verdicts, its exports."""

    def __init__(self, record: RunRecord, store: Store, summary: Summary | None = None) -> None:
        self.record, self._store = record, store
        self._summary = summary
        self.gates: tuple[Judged, ...] = ()

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def summary(self) -> Summary:
        if self._summary is None:
            self._summary = summarise(self.id, self._store.verdicts(self.id))
        return self._summary

    def mean(
        self, criterion: str, *, judge: str | None = None, model: str | None = None
    ) -> float | None:
        """The mean over scored items, None when there are none. `summary` counts the others."""
        found = [
            each
            for each in self.summary.criteria.values()
            if each.criterion == criterion
            and judge in {None, each.judge}
            and model in {None, each.model}
        ]
        if len(found) == 1:
            return found[0].mean
        known = ", ".join(
            f"{each.judge}/{each.model}/{each.criterion}" for each in self.summary.criteria.values()
        )
        what = "no criterion" if not found else f"{len(found)} judges or models with a criterion"
        raise UsageError(
            f"This run has {what} {criterion!r}; name judge= and model=. It has: {known}."
        )

    def entries(self, item: str | None = None) -> Iterator[Entry]:
        """Verdicts with their items, in the order of the data, streamed."""
        return self._store.entries(self.id, item)

    def verdicts(self) -> Iterator[Verdict]:
        return (entry.verdict for entry in self.entries())

    def rows(self, *, with_item: bool = False) -> Iterator[Row]:
        """Verdict rows as plain values, streamed; on request with the texts they are about."""
        for entry in self.entries():
            texts = dict(entry.item.fields) if with_item else None
            yield verdict_row(self.id, entry.verdict, texts)

    def prompts(self, entry: Entry) -> list[Prompt]:
        """The prompts that a verdict came from, made again from the judge as it was kept.

        UsageError when this version of adjudge would word them differently.
        """
        judge = judge_as_kept(self.record, entry.verdict.judge)
        # Not the verdict's own: one that was read again has the fingerprint of today's judge.
        asked_by = self.record.manifest.judges[judge.name]
        if judge.fingerprint != asked_by:
            raise UsageError(
                "The prompts cannot be shown: this version of adjudge would word them differently"
                f" (fingerprint {judge.fingerprint}, then {asked_by})."
            )
        renderer = prompting(judge, self._store.secret)
        return renderer.prompts(entry.item, entry.verdict.repeat, entry.verdict.cuts)

    def reread(self, *, dry_run: bool = False) -> Reread:
        """Reads the stored replies with today's reader and keeps the new verdicts; asks no model.

        `dry_run` only tells what would change.
        """
        result = reread_run(self.record, self._store, dry_run=dry_run)
        if not dry_run:
            self._summary = result.summary
        return result

    def judge(self, name: str | None = None) -> Judge:
        """The judge as it was kept with the run; the name may be left out where there is one."""
        return judge_as_kept(self.record, judge_of(self.record, name))

    def labels(self, judge: str | None = None) -> list[Label]:
        """What people said about this data for the judge, in the order in which they did."""
        return self._store.labels.of(self.record.manifest.data_hash, judge_of(self.record, judge))

    def label_session(self, chosen: Labelling, *, judge: str | None = None) -> Session:
        """A rater's way through the items, one question at a time."""
        return open_session(self.record, self._store, judge_of(self.record, judge), chosen)

    def import_labels(
        self, path: str | Path, *, judge: str | None = None, rater: str = ""
    ) -> Imported:
        """Keeps the labels of a file; those that name nobody become the `rater`'s."""
        name = judge_of(self.record, judge)
        return import_labels(self.record, self._store, name, Path(path), rater)

    def export_labels(
        self,
        path: str | Path,
        *,
        judge: str | None = None,
        rater: str | None = None,
        wide: bool = False,
    ) -> Path:
        """Writes the labels, of one rater or of all, as `calibrate` reads them."""
        check_label_path(Path(path))
        labels = [each for each in self.labels(judge) if rater in {None, each.rater}]
        if not labels:
            whose = f" by {rater}" if rater else ""
            raise UsageError(f"There are no labels{whose} for run {self.id} yet: adjudge label.")
        write_labels(Path(path), labels, scales_of(self.judge(judge)), wide=wide)
        return Path(path)

    def to_dicts(self) -> list[Row]:
        return list(self.rows())

    def to_polars(self) -> polars.DataFrame:
        """A flat table with dotted column names; needs `pip install adjudge[polars]`."""
        try:
            import polars  # noqa: PLC0415 - an optional extra
        except ImportError:
            raise UsageError("to_polars() needs polars: pip install 'adjudge[polars]'.") from None
        from adjudge.reports.rows import flat  # noqa: PLC0415

        return polars.DataFrame([flat(row) for row in self.rows()], infer_schema_length=None)

    def judge_gates(self, gates: Sequence[Gate]) -> tuple[Judged, ...]:
        """What becomes of the gates; `corrected` rests on the latest calibration in the store."""
        if not gates:
            return ()
        from adjudge.analysis.run_figures import judge_run  # noqa: PLC0415 - loads numpy

        return judge_run(gates, self.record, self._store)

    def repeats(self) -> Repeats | None:
        """How far samples of the same item lie apart; None where each item is judged once."""
        return repeats_of(self.record, self._store.scores(self.id))

    def export(self, path: str | Path, *, by_item: bool = False) -> Path:
        """Writes the verdicts; the ending picks the format. Markdown begins with the gates.

        `by_item` writes one row an item, judge and model instead, its samples made one.
        """
        if by_item:
            write_file(Path(path), lambda: item_rows(self.id, self.verdicts()))
            return Path(path)
        ending = Path(path).suffix.casefold()
        readable = ending == ".html"  # people want to see what was judged
        before = as_markdown(gate_blocks(self.gates)) if ending == ".md" and self.gates else ""
        write_file(Path(path), lambda: self.rows(with_item=readable), before.encode())
        return Path(path)

    def close(self) -> None:
        self._store.close()


async def ajudge(
    judge: str,
    item: Mapping[str, object],
    *,
    model: str = "embedded",
    **options: Any,
) -> Verdict:
    """The verdict on one item, given as a mapping from input or column names to texts."""
    dotenv.load(models.providers)
    chosen = RunOptions(**options)
    loaded = load_judge(judge, chosen)
    row = single_item(item, loaded.inputs, chosen.map)
    opened = models.open_model(model, chosen.model_options)
    try:
        renderer = prompting(loaded, _secret(chosen.store))
        most = min(chosen.concurrency, opened.capabilities.concurrency or chosen.concurrency)
        asker = Asker(opened, chosen.sampling, Limits(most, Stop()), Ledger())
        caller = Caller(loaded, asker, samples=chosen.logprobs in ("prefer", "off"))
        if chosen.shorten is None:
            return await judge_one(caller, renderer.prompts(row))
        fitter = Fitter(renderer, opened.capabilities, chosen.max_tokens)
        return await judge_fitted(caller, fitter, row, fitter.fit(row))
    finally:
        await opened.aclose()


def _secret(store: str) -> bytes:
    """The store's secret where there is a store; none is made for the sake of one item."""
    if not path_of(store).is_file():
        return secrets.token_bytes(32)
    opened = open_store(store)
    try:
        return opened.secret
    finally:
        opened.close()


async def acheck_model(model: str, **options: Any) -> Check:
    """Finds out with tiny calls what a model can do, and keeps it for the next time."""
    dotenv.load(models.providers)
    opened = models.open_plain(model, RunOptions(**options).model_options)
    try:
        if not opened.capabilities.converses:
            raise UsageError(f"{model} answers from a file: there is nothing to check.")
        found = await check(opened)
    finally:
        await opened.aclose()
    keep(found.findings)
    return found


async def aforesee(
    data: str | Path,
    *,
    judge: str | Sequence[str],
    model: str | Sequence[str] = "embedded",
    gate: str | Sequence[str] = (),
    **options: Any,
) -> Forecast:
    """What `arun` would ask and cost; nothing is sent and nothing written."""
    dotenv.load(models.providers)
    _checked_gates(_listed(gate), _listed(judge), RunOptions(**options))
    return await foresee_all(str(data), _listed(judge), _listed(model), RunOptions(**options))


async def arun(
    data: str | Path,
    *,
    judge: str | Sequence[str],
    model: str | Sequence[str] = "embedded",
    out: Sequence[str | Path] = (),
    gate: str | Sequence[str] = (),
    watcher: Watcher | None = None,
    **options: Any,
) -> Run:
    """Judges a file of rows; goes on where an earlier run of the same stopped.

    What became of the gates is in `Run.gates`; one that makes no sense is refused at once.
    """
    dotenv.load(models.providers)
    gates = _checked_gates(_listed(gate), _listed(judge), RunOptions(**options))
    files = [Path(path) for path in out]
    for path in files:
        check_path(path)
        for name in (str(data), *_listed(judge), *(m.partition(":")[2] for m in _listed(model))):
            if _same_file(path, Path(name)):
                raise UsageError(f"{path}: the results would take the place of {name}.")
        if reads(str(data), path):
            raise UsageError(f"{path}: the results would be read as {data}; write them elsewhere.")
    finished = await run_all(
        str(data), _listed(judge), _listed(model), RunOptions(**options), watcher
    )
    result = Run(finished.record, finished.store, finished.summary)
    try:
        result.gates = result.judge_gates(gates)
        for path in files:
            result.export(path)
    except BaseException:
        result.close()
        raise
    return result


def _checked_gates(
    texts: Sequence[str], judges: Sequence[str], options: RunOptions
) -> tuple[Gate, ...]:
    gates = parse_gates(texts)
    if gates:
        loaded = load_judges(judges, options).values()
        scales = [(c.name, c.scale) for judge in loaded for c in judge.rubric.criteria.values()]
        check_gates(gates, list(dict.fromkeys(name for name, _ in scales)), RUN_FIGURES)
        check_scales(gates, scales)
    return gates


def _same_file(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


async def aprobe(
    judge: str,
    *,
    model: str | Sequence[str] = "embedded",
    data: str | Path | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> Probed:
    """How far a judge can be trusted, on the built-in texts or on data; options as in ProbeOptions
    and RunOptions, `limits` as a mapping."""
    from adjudge.analysis.probing.probe import run_probe  # noqa: PLC0415 - loads numpy

    dotenv.load(models.providers)
    return await run_probe(_probing(judge, _listed(model), data, options), watch)


async def aforesee_probe(
    judge: str,
    *,
    model: str | Sequence[str] = "embedded",
    data: str | Path | None = None,
    **options: Any,
) -> list[Forecast]:
    """What the runs of `aprobe` would ask and cost; nothing is sent and nothing written."""
    from adjudge.analysis.probing.probe import foresee_probe  # noqa: PLC0415 - loads numpy

    dotenv.load(models.providers)
    return await foresee_probe(_probing(judge, _listed(model), data, options))


def _probing(
    judge: str, names: Sequence[str], data: str | Path | None, options: dict[str, Any]
) -> Probing:
    from adjudge.analysis.probing.findings import Limits  # noqa: PLC0415
    from adjudge.analysis.probing.probe import ProbeOptions, prepare  # noqa: PLC0415

    own = {f.name: options.pop(f.name) for f in fields(ProbeOptions) if f.name in options}
    if "limits" in own:
        own["limits"] = Limits(**own["limits"])
    chosen = None if data is None else str(data)
    return prepare(judge, names, chosen, RunOptions(**options), ProbeOptions(**own))


def open_run(run_id: str = "latest", *, store: str | None = None) -> Run:
    """A run that is in the store already."""
    opened = open_store(store or RunOptions().store, must_exist=True)
    try:
        return Run(opened.find(run_id), opened)
    except BaseException:
        opened.close()
        raise


def reread(run_id: str = "latest", *, store: str | None = None, dry_run: bool = False) -> Reread:
    """`Run.reread` of a run that is in the store already."""
    opened = open_run(run_id, store=store)
    try:
        return opened.reread(dry_run=dry_run)
    finally:
        opened.close()


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

    chosen = CalibrateOptions(gates=parse_gates(_listed(gate)), **options)
    opened = run if isinstance(run, Run) else open_run(run, store=store)
    try:
        return calibrate_run(opened.record, opened._store, _labels(opened, labels), chosen)
    finally:
        if opened is not run:
            opened.close()


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
        options[name] = tuple(_listed(options.get(name, ())))
    chosen = PanelOptions(**options)
    opened = run if isinstance(run, Run) else open_run(run, store=store)
    try:
        return panel_of(opened.record, opened._store, _labels(opened, labels), chosen)
    finally:
        if opened is not run:
            opened.close()


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

    opened = run if isinstance(run, Run) else open_run(run, store=store)
    try:
        return cascade_of(opened.record, opened._store)
    finally:
        if opened is not run:
            opened.close()


def compare(
    run_a: str | Run, run_b: str | Run, *, store: str | None = None, **options: Any
) -> Comparison:
    """Two runs item by item; differences are B minus A. Options as in CompareOptions."""
    from adjudge.analysis.compare import compare_runs  # noqa: PLC0415 - loads numpy
    from adjudge.analysis.comparison import CompareOptions  # noqa: PLC0415
    from adjudge.analysis.sides import Source  # noqa: PLC0415

    chosen = CompareOptions(**options)
    with ExitStack() as opened:
        sources = []
        for each in (run_a, run_b):
            run = each if isinstance(each, Run) else open_run(each, store=store)
            if run is not each:
                opened.callback(run.close)
            sources.append(Source(run.record, run._store))
        return compare_runs(sources[0], sources[1], chosen)


def rank(run: str | Run = "latest", *, store: str | None = None, **options: Any) -> Ranking:
    """The systems of a run in order of strength. Options as in RankOptions."""
    from adjudge.analysis.rank import rank_run  # noqa: PLC0415 - loads numpy
    from adjudge.analysis.ranking import RankOptions  # noqa: PLC0415

    chosen = RankOptions(**options)
    opened = run if isinstance(run, Run) else open_run(run, store=store)
    try:
        return rank_run(opened.record, opened._store, chosen)
    finally:
        if opened is not run:
            opened.close()


def judge(
    judge: str, item: Mapping[str, object], *, model: str = "embedded", **options: Any
) -> Verdict:
    """`ajudge` for code that is not async."""
    return _wait_for(ajudge(judge, item, model=model, **options))


def check_model(model: str, **options: Any) -> Check:
    """`acheck_model` for code that is not async."""
    return _wait_for(acheck_model(model, **options))


def foresee(data: str | Path, **options: Any) -> Forecast:
    """`aforesee` for code that is not async."""
    return _wait_for(aforesee(data, **options))


def run(data: str | Path, **options: Any) -> Run:
    """`arun` for code that is not async."""
    return _wait_for(arun(data, **options))


def probe(judge: str, **options: Any) -> Probed:
    """`aprobe` for code that is not async."""
    return _wait_for(aprobe(judge, **options))


def foresee_probe(judge: str, **options: Any) -> list[Forecast]:
    """`aforesee_probe` for code that is not async."""
    return _wait_for(aforesee_probe(judge, **options))


def assert_judged(
    item: Mapping[str, object], *, judge: str, at_least: Mapping[str, float], **options: Any
) -> Verdict:
    """Judges the item; AssertionError, with the explanation, when a score is missing or too low."""
    verdict = _wait_for(ajudge(judge, item, **options))
    unknown = sorted(set(at_least) - set(verdict.scores))
    if unknown:
        raise UsageError(
            f"{judge} has no criterion {unknown[0]!r}; it has {', '.join(verdict.scores)}."
        )
    for name, least in at_least.items():
        score = verdict.scores[name]
        if score.value is None:
            raise AssertionError(f"{name} was not scored: {score.outcome} ({score.why})")
        if isinstance(score.value, str):
            raise UsageError(f"{name} is {score.value!r}, a name: at_least= needs a number.")
        if score.value < least:
            raise AssertionError(f"{name} is {score.value}, below {least}: {score.explanation}")
    return verdict


def load(name_or_file: str) -> Judge:
    """The checked judge, for a look at its rubric."""
    return load_judge(name_or_file, RunOptions())


def _wait_for(work: Coroutine[Any, Any, T]) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    return _in_a_thread(work)


def _in_a_thread(work: Coroutine[Any, Any, T]) -> T:
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()

    async def main() -> T:
        task = asyncio.ensure_future(work)
        begun.set_result((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(asyncio.run, main())
        try:
            return ending.result()
        except KeyboardInterrupt:
            # Stopping a notebook's cell reaches this thread only; the other must hear of it.
            loop, task = begun.result()
            loop.call_soon_threadsafe(task.cancel)
            raise
