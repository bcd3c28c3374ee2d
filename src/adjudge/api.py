"""The Python front: each function once, async; `blocking` makes its twin for code that is not.

The twins also work where a loop already runs, as in notebooks: the work then happens in a thread.
"""

from __future__ import annotations

import asyncio
import inspect
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack

# These two compile many patterns. They come first, while the stack is low: deep down in other
# imports Python would get and give back a block of its stack for thousands of calls (30 ms).
import adjudge.judges
import adjudge.reading  # noqa: F401
from adjudge.analysis.gates import RUN_FIGURES, Gate, check_gates, check_scales, parse_gates
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.verdict import Verdict
from adjudge.datasets import single_item
from adjudge.datasets.sources import reads
from adjudge.errors import UsageError
from adjudge.models import GenerationProgress
from adjudge.models import registry as models
from adjudge.models.model_checks import save_check
from adjudge.reports.files import check_path
from adjudge.running import (
    Check,
    Forecast,
    JudgeKeywords,
    LoadedJudge,
    ModelKeywords,
    RunKeywords,
    RunOptions,
    SingleItemJudge,
    Watcher,
    check_capabilities,
    forecast_run,
    judge_rows,
    limits_of,
    load_judge,
    load_judges,
)
from adjudge.settings import dotenv
from adjudge.stores import existing_store

from .run_handle import Run, listed

if TYPE_CHECKING:
    from adjudge.analysis.probing import Probed
    from adjudge.analysis.probing.probe import ProbeForecast, Probing, Watch

P = ParamSpec("P")
T = TypeVar("T")
Front = TypeVar("Front", bound=Callable[..., object])


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


def spelled_out(keywords: type, defaults: type) -> Callable[[Front], Front]:
    """Lists the keywords of `**options` in the signature one by one, for `help()` and notebooks."""

    def spell_out(front: Front) -> Front:
        signature = inspect.signature(front)
        *own, _ = signature.parameters.values()
        known = inspect.signature(defaults).parameters
        more = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=known[name].default if name in known else ...,
                annotation=hint.__forward_arg__,
            )
            for name, hint in keywords.__annotations__.items()
        ]
        front.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        return front

    return spell_out


def blocking(front: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The same function for code that is not async: it returns when the work is done."""

    @wraps(front)
    def twin(*args: P.args, **keywords: P.kwargs) -> T:
        return _wait_for(front(*args, **keywords))

    twin.__name__ = twin.__qualname__ = front.__name__.removeprefix("a")
    return twin


@spelled_out(JudgeKeywords, RunOptions)
async def ajudge(
    judge: str,
    item: Mapping[str, object],
    *,
    model: str = "embedded",
    heard: Callable[[GenerationProgress], None] | None = None,
    **options: Unpack[JudgeKeywords],
) -> Verdict:
    """The verdict on one item.

    judge: a name or a file.
    item: input or column names with their texts.
    model: who is asked.
    heard: is told of tokens as they come, by models that can tell.
    """
    chosen = _options(options)
    loaded = load_judge(judge, chosen)
    row = single_item(item, loaded.inputs, chosen.map)
    opened = models.open_model(model, chosen.model_options)
    opened.on_progress = heard
    try:
        limits = limits_of(opened, chosen.concurrency)
        judging = SingleItemJudge(loaded, opened, limits, chosen, _secret(chosen.store))
        return await judging.judge(row)
    finally:
        await opened.aclose()


judge = blocking(ajudge)


def _options(keywords: Mapping[str, Any]) -> RunOptions:
    """With `.env` in the environment, which the options look at."""
    dotenv.load(models.providers)
    return RunOptions(**keywords)


def _secret(store: str) -> bytes:
    """The store's secret where there is a store; none is made for one item."""
    opened = existing_store(store)
    if opened is None:
        return secrets.token_bytes(32)
    try:
        return opened.secret
    finally:
        opened.close()


@spelled_out(RunKeywords, RunOptions)
async def arun(
    data: str | Path,
    *,
    judge: str | Sequence[str],
    model: str | Sequence[str] = "embedded",
    out: Sequence[str | Path] = (),
    gate: str | Sequence[str] = (),
    watcher: Watcher | None = None,
    **options: Unpack[RunKeywords],
) -> Run:
    """Judges a file of rows; goes on where an earlier run of the same stopped.

    data: a file, `file#part`, a folder or a pattern.
    judge, model: one or several.
    out: files that the verdicts are written to; their endings pick the format.
    gate: what must hold; the results are in `Run.gates`, and one without sense is refused at once.
    watcher: hears of the progress.
    """
    chosen = _options(options)
    judges = load_judges(listed(judge), chosen)
    gates = _checked_gates(listed(gate), judges)
    files = [Path(path) for path in out]
    _check_files(files, str(data), [*listed(judge), *listed(model)])
    finished = await judge_rows(str(data), judges, listed(model), chosen, watcher)
    result = Run(finished.record, finished.store, finished.tally)
    try:
        result.gates = result.judge_gates(gates)
        for path in files:
            result.export(path, with_inputs=chosen.with_inputs)
    except BaseException:
        result.close()
        raise
    return result


run = blocking(arun)


@spelled_out(RunKeywords, RunOptions)
async def aforecast(
    data: str | Path,
    *,
    judge: str | Sequence[str],
    model: str | Sequence[str] = "embedded",
    gate: str | Sequence[str] = (),
    **options: Unpack[RunKeywords],
) -> Forecast:
    """What `arun` would ask and cost; nothing is sent and nothing written.

    data, judge, model, gate: as in `arun`.
    """
    chosen = _options(options)
    judges = load_judges(listed(judge), chosen)
    _checked_gates(listed(gate), judges)
    return await forecast_run(str(data), judges, listed(model), chosen)


forecast = blocking(aforecast)


def _checked_gates(texts: Sequence[str], judges: Sequence[LoadedJudge]) -> tuple[Gate, ...]:
    gates = parse_gates(texts)
    if gates:
        names = dict.fromkeys(name for judge, _ in judges for name in judge.rubric.criteria)
        check_gates(gates, list(names), RUN_FIGURES)
        for judge, _ in judges:
            scales = [(c.name, c.scale) for c in judge.rubric.criteria.values()]
            check_scales(gates, scales, likelihoods=judge.method == "likelihood")
    return gates


def _check_files(files: Sequence[Path], data: str, names: Sequence[str]) -> None:
    """UsageError where the results would overwrite what the run reads: data, judge or model."""
    read = [data, *names, *(name.partition(":")[2] for name in names)]
    for path in files:
        check_path(path)
        for name in read:
            if _same_file(path, Path(name)):
                raise UsageError(Reason("output.takes_place", name=name).in_file(path))
        if reads(data, path):
            raise UsageError(Reason("output.is_data", data=data).in_file(path))


def _same_file(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


@spelled_out(ModelKeywords, RunOptions)
async def acheck_model(model: str, **options: Unpack[ModelKeywords]) -> Check:
    """Finds out with tiny calls what a model can do, and keeps it for the next time."""
    opened = models.open_plain(model, _options(options).model_options)
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
    watch: is told of each run that the probes make, and gives who hears of its progress.
    """
    from adjudge.analysis.probing.probe import run_probe  # noqa: PLC0415 - loads numpy

    return await run_probe(_probing(judge, listed(model), data, options), watch)


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
    from adjudge.analysis.probing.probe import forecast_probe  # noqa: PLC0415 - loads numpy

    return await forecast_probe(_probing(judge, listed(model), data, options))


forecast_probe = blocking(aforecast_probe)


def _probing(
    judge: str, names: Sequence[str], data: str | Path | None, options: ProbeKeywords
) -> Probing:
    from adjudge.analysis.probing import ProbeLimits  # noqa: PLC0415
    from adjudge.analysis.probing.probe import ProbeOptions, prepare  # noqa: PLC0415

    of_run: dict[str, Any] = dict(options)
    own = {name: of_run.pop(name) for name in _PROBE_KEYWORDS if name in of_run}
    if "limits" in own:
        own["limits"] = ProbeLimits(**own["limits"])
    chosen = None if data is None else str(data)
    return prepare(judge, names, chosen, _options(of_run), ProbeOptions(**own))


@spelled_out(JudgeKeywords, RunOptions)
def assert_judged(
    item: Mapping[str, object],
    *,
    judge: str,
    at_least: Mapping[str, float],
    model: str = "embedded",
    **options: Unpack[JudgeKeywords],
) -> Verdict:
    """Judges the item; AssertionError, with the explanation, when a score is missing or too low.

    item, judge, model: as in `judge`.
    at_least: criterion → the lowest score that passes.
    """
    verdict = _wait_for(ajudge(judge, item, model=model, **options))
    unknown = sorted(set(at_least) - set(verdict.scores))
    if unknown:
        raise UsageError(
            Reason("run.judge_criterion", judge=judge, name=unknown[0], known=tuple(verdict.scores))
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


def load(name_or_file: str) -> Judge:
    """The checked judge, for a look at its rubric.

    name_or_file: a built-in or installed judge, or a YAML file.
    """
    return load_judge(name_or_file, RunOptions())


def _wait_for(work: Coroutine[Any, Any, T]) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        runs_already = False
    else:
        runs_already = True
    # Not while that error is handled: it would stand in the story of every other one.
    return _in_a_thread(work) if runs_already else asyncio.run(work)


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
