"""The Python front: each function once, async, with a one-line twin for code that is not.

The twins also work where a loop already runs, as in notebooks: the work then happens in a thread.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.analysis.gates import (
    RUN_FIGURES,
    Gate,
    check_gates,
    check_scales,
    parse_gates,
)
from adjudge.core.judge import Judge
from adjudge.core.verdict import Verdict
from adjudge.datasets.items import single_item
from adjudge.datasets.sources import reads
from adjudge.errors import UsageError
from adjudge.models import registry as models
from adjudge.models.base import Generating
from adjudge.models.findings import keep
from adjudge.reports.formats import check_path
from adjudge.running.at_once import AtOnce, limits_of
from adjudge.running.check import Check, check
from adjudge.running.foresee import Forecast
from adjudge.running.foresee import foresee as foresee_all
from adjudge.running.options import RunOptions
from adjudge.running.plan import load_judge, load_judges
from adjudge.running.run import Watcher
from adjudge.running.run import run as run_all
from adjudge.settings import dotenv
from adjudge.stores.registry import open_store, path_of

from .kept_run import Run, listed

if TYPE_CHECKING:
    from adjudge.analysis.probing.findings import Probed
    from adjudge.analysis.probing.probe import ForeseenProbe, Probing, Watch

T = TypeVar("T")


async def ajudge(
    judge: str,
    item: Mapping[str, object],
    *,
    model: str = "embedded",
    heard: Callable[[Generating], None] | None = None,
    **options: Any,
) -> Verdict:
    """The verdict on one item, given as a mapping from input or column names to texts.

    `heard` is told of tokens as they come, by models that can tell.
    """
    dotenv.load(models.providers)
    chosen = RunOptions(**options)
    loaded = load_judge(judge, chosen)
    row = single_item(item, loaded.inputs, chosen.map)
    opened = models.open_model(model, chosen.model_options)
    opened.heard = heard
    try:
        limits = limits_of(opened, chosen.concurrency)
        return await AtOnce(loaded, opened, limits, chosen, _secret(chosen.store)).judge(row)
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
    _checked_gates(listed(gate), listed(judge), RunOptions(**options))
    return await foresee_all(str(data), listed(judge), listed(model), RunOptions(**options))


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
    gates = _checked_gates(listed(gate), listed(judge), RunOptions(**options))
    files = [Path(path) for path in out]
    for path in files:
        check_path(path)
        for name in (str(data), *listed(judge), *(m.partition(":")[2] for m in listed(model))):
            if _same_file(path, Path(name)):
                raise UsageError(f"{path}: the results would take the place of {name}.")
        if reads(str(data), path):
            raise UsageError(f"{path}: the results would be read as {data}; write them elsewhere.")
    finished = await run_all(
        str(data), listed(judge), listed(model), RunOptions(**options), watcher
    )
    result = Run(finished.record, finished.store, finished.summary)
    try:
        result.gates = result.judge_gates(gates)
        for path in files:
            result.export(path, with_inputs=RunOptions(**options).with_inputs)
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
        names = dict.fromkeys(name for judge in loaded for name in judge.rubric.criteria)
        check_gates(gates, list(names), RUN_FIGURES)
        for judge in loaded:
            scales = [(c.name, c.scale) for c in judge.rubric.criteria.values()]
            check_scales(gates, scales, likelihoods=judge.method == "likelihood")
    return gates


def _same_file(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


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
    return await run_probe(_probing(judge, listed(model), data, options), watch)


async def aforesee_probe(
    judge: str,
    *,
    model: str | Sequence[str] = "embedded",
    data: str | Path | None = None,
    **options: Any,
) -> ForeseenProbe:
    """What the runs of `aprobe` would ask and cost; nothing is sent and nothing written."""
    from adjudge.analysis.probing.probe import foresee_probe  # noqa: PLC0415 - loads numpy

    dotenv.load(models.providers)
    return await foresee_probe(_probing(judge, listed(model), data, options))


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


def foresee_probe(judge: str, **options: Any) -> ForeseenProbe:
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
