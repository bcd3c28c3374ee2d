"""The Python front: each function once, async; `blocking` makes its twin for code that is not."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

# These two compile many patterns. They come first, while the stack is low: deep down in other
# imports Python would get and give back a block of its stack for thousands of calls (30 ms).
import adjudge.judges
import adjudge.reading  # noqa: F401
from adjudge.analysis.gates import RUN_FIGURES, Gate, check_gates, check_scales, parse_gates
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.verdict import Verdict
from adjudge.datasets import Data, DataLike, opened_data, single_item
from adjudge.errors import UsageError
from adjudge.extras import require
from adjudge.judges import JudgeLike, registry
from adjudge.models import GenerationProgress, Model
from adjudge.models import registry as models
from adjudge.models.model_checks import save_check
from adjudge.reports.display import show_verdicts
from adjudge.reports.files import check_outputs
from adjudge.running import (
    Check,
    Forecast,
    JudgeKeywords,
    LoadedJudge,
    ModelKeywords,
    ModelLike,
    RunKeywords,
    RunOptions,
    SingleItemJudge,
    Watcher,
    check_capabilities,
    checked,
    forecast_run,
    judge_rows,
    kept_changes,
    limits_of,
    load_judges,
    opened_models,
    recording_of,
    reply_cache,
)
from adjudge.settings import dotenv
from adjudge.stores import Store, existing_store, open_store
from adjudge.stores.store import is_parquet

from .blocking import SessionVerdict, blocking, session, spelled_out, wait_for
from .progress_bar import progress_bar
from .run_handle import Run, listed

if TYPE_CHECKING:
    from adjudge.analysis.gates.baseline import Baseline
    from adjudge.analysis.probing import Probed
    from adjudge.analysis.probing.probe import ProbeForecast, Probing, Watch
    from adjudge.running import Draft

T = TypeVar("T")
show_verdicts()


class ProbeKeywords(RunKeywords, total=False):
    """How a judge is probed."""

    only: Sequence[str]
    """Names of probes; none means all."""
    language: str | None
    """Language of the texts; None finds it out."""
    author: str | None
    """The column that says which model wrote a text."""
    repeats: int
    """Samples per text."""
    limits: Mapping[str, float]
    """Measure → the most that it may be before it is worrying, a share from 0 to 1."""
    confidence: float
    """Confidence of the intervals."""


_PROBE_KEYWORDS = ProbeKeywords.__annotations__.keys() - RunKeywords.__annotations__.keys()


@spelled_out(JudgeKeywords, RunOptions)
async def ajudge(
    judge: JudgeLike,
    item: Mapping[str, object],
    *,
    model: ModelLike = "embedded",
    heard: Callable[[GenerationProgress], None] | None = None,
    **options: Unpack[JudgeKeywords],
) -> Verdict:
    """The verdict on one item.

    judge: a name, a file, a `Judge`, or a dict with what a file would hold.
    item: input or column names with their texts.
    model: who is asked: a name, a function from messages to text (async or not), or an object with
        the interface of a provider.
    heard: is called with the tokens so far, by models that report them.
    """
    chosen = run_options({**session.defaults, **options})
    ((loaded, text),) = load_judges([judge], chosen)
    row = single_item(item, loaded.inputs, chosen.map)
    recording = recording_of(chosen)
    async with AsyncExitStack() as stack:
        (opened,) = await stack.enter_async_context(opened_models([model], chosen, recording))
        opened.on_progress = heard
        limits = limits_of(opened, chosen.concurrency)
        store = _store(opened, chosen)
        secret = secrets.token_bytes(32) if store is None else store.secret
        judging = SingleItemJudge(loaded, opened, limits, chosen, secret)
        if store is not None:
            stack.callback(store.close)
        if store is not None and opened.capabilities.cached and not chosen.no_cache:
            cached = reply_cache(store, opened, limits.stop)
            judging.client.cache = await stack.enter_async_context(cached)
        if recording is not None:
            judging.client.recording = recording
            stack.callback(recording.save)
        verdict = checked(await judging.judge(row), row, chosen.checks)
    for hear in session.listeners:
        hear(SessionVerdict(row, {"text": text, **kept_changes(chosen)}, verdict))
    return verdict


judge = blocking(ajudge)


@spelled_out(JudgeKeywords, RunOptions)
async def adraft_judge(
    data: DataLike,
    *,
    model: ModelLike = "embedded",
    name: str = "drafted",
    language: str = "en",
    per_item: bool = False,
    limit: int | None = None,
    **options: Unpack[JudgeKeywords],
) -> Draft:
    """A judge file that a model proposes after it has seen the first rows of the data; `per_item` a
    checklist per item instead of a rubric, in `Draft.rows`."""
    from adjudge.running import DraftOptions, drafted_judge  # noqa: PLC0415 - loads the importer

    chosen = run_options(options)
    wanted = DraftOptions(name=name, language=language, per_item=per_item, limit=limit)
    async with opened_models([model], chosen) as (opened,):
        return await drafted_judge(rows_of(data, chosen), opened, wanted, chosen)


draft_judge = blocking(adraft_judge)


def run_options(keywords: Mapping[str, Any]) -> RunOptions:
    """With `.env` in the environment, which the options look at."""
    dotenv.load(models.providers)
    return RunOptions(**keywords)


def _store(model: Model, options: RunOptions) -> Store | None:
    """The store, for its secret and its replies; none is made where no reply is worth keeping."""
    if model.capabilities.cached and not options.no_cache and not is_parquet(options.store):
        return open_store(options.store)
    return existing_store(options.store)


@spelled_out(RunKeywords, RunOptions)
async def arun(  # noqa: PLR0913 - each is a thing that a user may say
    data: DataLike,
    *,
    judge: JudgeLike | Sequence[JudgeLike],
    model: ModelLike | Sequence[ModelLike] = "embedded",
    out: Sequence[str | Path] = (),
    gate: str | Sequence[str] = (),
    baseline: str | Path | None = None,
    watcher: Watcher | None = None,
    progress: bool = True,
    **options: Unpack[RunKeywords],
) -> Run:
    """Judges rows; continues where an earlier run of the same stopped.

    data: a file, `file#part`, a folder or a pattern; or rows in memory: a pandas or polars data
        frame, an Arrow table, a Hugging Face dataset, any iterable of dicts.
    judge, model: one or several, each as in `judge`.
    out: files that the verdicts are written to; their endings pick the format.
    gate: what must hold; results are in `Run.gates`. One that makes no sense is an error at once.
    baseline: a file that `Run.write_baseline` made; if the run is worse, a gate fails.
    watcher: hears of the progress.
    progress: shows a bar in a notebook or on a terminal, unless there is a watcher.
    """
    chosen = run_options(options)
    known = None if baseline is None else _baseline(Path(baseline))
    judges = load_judges(several(judge), chosen)
    asked: list[ModelLike] = several(model)
    gates = _checked_gates(listed(gate), judges)
    files = [Path(path) for path in out]
    rows = rows_of(data, chosen)
    check_outputs(files, rows, [*several(judge), *asked])
    heard = watcher or (progress_bar() if progress else None)
    finished = await judge_rows(rows, judges, asked, chosen, heard)
    result = Run(finished.record, finished.store, finished.tally)
    try:
        result.gates = result.judge_gates(gates)
        if known is not None:
            result.gates += result.compare_baseline(known)
        for path in files:
            result.export(path, with_inputs=chosen.with_inputs, columns=chosen.columns)
    except BaseException:
        result.close()
        raise
    return result


run = blocking(arun)


@spelled_out(RunKeywords, RunOptions)
async def aforecast(
    data: DataLike,
    *,
    judge: JudgeLike | Sequence[JudgeLike],
    model: ModelLike | Sequence[ModelLike] = "embedded",
    gate: str | Sequence[str] = (),
    **options: Unpack[RunKeywords],
) -> Forecast:
    """What `arun` would ask and cost; nothing is sent and nothing written.

    data, judge, model, gate: as in `arun`.
    """
    chosen = run_options(options)
    judges = load_judges(several(judge), chosen)
    _checked_gates(listed(gate), judges)
    return await forecast_run(rows_of(data, chosen), judges, several(model), chosen)


forecast = blocking(aforecast)


def _baseline(path: Path) -> Baseline:
    from adjudge.analysis.gates import baseline  # noqa: PLC0415 - loads numpy

    return baseline.read_baseline(path)


def several(choice: T | Sequence[T]) -> list[T]:
    """One judge or model, or several, as a list; a text is one."""
    return list(choice) if isinstance(choice, list | tuple) else [choice]  # type: ignore[list-item]


def rows_of(data: DataLike, options: RunOptions) -> str | Data:
    """A path as text, with the part of it that is meant; rows in memory as data."""
    if isinstance(data, str | Path):
        return options.part_of(str(data))
    if options.sheet is not None or options.encoding is not None:
        raise UsageError(Reason("options.memory_part"))
    return opened_data(data)


def _checked_gates(texts: Sequence[str], judges: Sequence[LoadedJudge]) -> tuple[Gate, ...]:
    gates = parse_gates(texts)
    if gates:
        for gate in (gate for gate in gates if not gate.is_plain):
            require("trust", f"--gate {gate.text}")
        names = dict.fromkeys(name for judge, _ in judges for name in judge.rubric.measures)
        check_gates(gates, list(names), RUN_FIGURES)
        for judge, _ in judges:
            scales = [(c.name, c.scale) for c in judge.rubric.measures.values()]
            check_scales(gates, scales, likelihoods=judge.method == "likelihood")
    return gates


@spelled_out(ModelKeywords, RunOptions)
async def acheck_model(model: str, **options: Unpack[ModelKeywords]) -> Check:
    """Finds out with tiny calls what a model can do, and keeps it for the next time."""
    opened = models.open_plain(model, run_options(options).model_options)
    try:
        if not opened.capabilities.converses:
            raise UsageError(Reason("run.from_file", model=model))
        check = await check_capabilities(opened)
    finally:
        await opened.aclose()
    save_check(check.findings)
    return check


check_model = blocking(acheck_model)


@spelled_out(ProbeKeywords, RunOptions)
async def aprobe(
    judge: str,
    *,
    model: str | Sequence[str] = "embedded",
    data: str | Path | None = None,
    watch: Watch | None = None,
    **options: Unpack[ProbeKeywords],
) -> Probed:
    """How far a judge can be trusted.

    judge: a name or a file.
    model: one or several.
    data: a file of texts to probe with; None takes the built-in ones.
    watch: is called for each run that the probes make, and returns who hears of its progress.
    """
    probing = _probing(judge, listed(model), data, options)
    from adjudge.analysis.probing.probe import run_probe  # noqa: PLC0415 - loads numpy

    return await run_probe(probing, watch)


probe = blocking(aprobe)


@spelled_out(ProbeKeywords, RunOptions)
async def aforecast_probe(
    judge: str,
    *,
    model: str | Sequence[str] = "embedded",
    data: str | Path | None = None,
    **options: Unpack[ProbeKeywords],
) -> ProbeForecast:
    """What the runs of `aprobe` would ask and cost; nothing is sent and nothing written.

    judge, model, data: as in `aprobe`.
    """
    probing = _probing(judge, listed(model), data, options)
    from adjudge.analysis.probing.probe import forecast_probe  # noqa: PLC0415 - loads numpy

    return await forecast_probe(probing)


forecast_probe = blocking(aforecast_probe)


def _probing(
    judge: str, names: Sequence[str], data: str | Path | None, options: ProbeKeywords
) -> Probing:
    require("trust", "adjudge.probe()")
    from adjudge.analysis.probing import ProbeLimits  # noqa: PLC0415
    from adjudge.analysis.probing.probe import ProbeOptions, prepare  # noqa: PLC0415

    of_run: dict[str, Any] = dict(options)
    own = {name: of_run.pop(name) for name in _PROBE_KEYWORDS if name in of_run}
    if "limits" in own:
        own["limits"] = ProbeLimits(**own["limits"])
    options_of_run = run_options(of_run)
    chosen = None if data is None else options_of_run.part_of(str(data))
    return prepare(judge, names, chosen, options_of_run, ProbeOptions(**own))


@spelled_out(JudgeKeywords, RunOptions)
def assert_judged(
    item: Mapping[str, object],
    *,
    judge: JudgeLike,
    at_least: Mapping[str, float],
    model: ModelLike = "embedded",
    **options: Unpack[JudgeKeywords],
) -> Verdict:
    """Judges the item; AssertionError, with the explanation, when a score is missing or too low.

    item, judge, model: as in `judge`.
    at_least: criterion → the lowest score that passes.
    """
    verdict = wait_for(ajudge(judge, item, model=model, **options))
    unknown = sorted(set(at_least) - set(verdict.scores))
    if unknown:
        raise UsageError(
            Reason(
                "run.judge_criterion",
                judge=verdict.judge,
                name=unknown[0],
                known=tuple(verdict.scores),
            )
        )
    for name, least in at_least.items():
        score = verdict.scores[name]
        if score.value is None:
            raise AssertionError(f"{name} was not scored: {score.outcome} ({score.why})")
        if isinstance(score.value, str):
            raise UsageError(Reason("run.no_number", name=name, value=score.value))
        if score.value < least:
            raise AssertionError(f"{name} is {score.value}, below {least}: {score.explanation}")
    return verdict


def load(judge: JudgeLike) -> Judge:
    """The checked judge, for a look at its rubric.

    judge: a built-in or installed judge, a YAML file, or a dict with what a file would hold.
    """
    return registry.get(judge)
