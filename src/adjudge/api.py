"""The Python front: each function once, async, with a one-line twin for code that is not.

The twins also work where a loop already runs, as in notebooks: the work then happens in a thread.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.verdict import Verdict
from adjudge.datasets.items import single_item
from adjudge.errors import UsageError
from adjudge.judges.render import Renderer
from adjudge.models import registry as models
from adjudge.reports.formats import check_path, write_file
from adjudge.reports.rows import Row, verdict_row
from adjudge.running.asking.asker import Asker
from adjudge.running.asking.budget import Ledger
from adjudge.running.asking.limits import Limits
from adjudge.running.asking.stop import Stop
from adjudge.running.call import Caller
from adjudge.running.foresee import Forecast
from adjudge.running.foresee import foresee as foresee_all
from adjudge.running.one import judge_one
from adjudge.running.options import RunOptions
from adjudge.running.plan import load_judge
from adjudge.running.reread import Reread, judge_as_kept, reread_run
from adjudge.running.run import Watcher
from adjudge.running.run import run as run_all
from adjudge.running.summary import Summary, summarise
from adjudge.stores.base import Entry, RunRecord, Store
from adjudge.stores.registry import open_store, path_of

if TYPE_CHECKING:
    import polars

T = TypeVar("T")


class Run:
    """A run in a store: its summary, its verdicts, its exports."""

    def __init__(self, record: RunRecord, store: Store, summary: Summary | None = None) -> None:
        self.record, self._store = record, store
        self._summary = summary

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
        renderer = Renderer(judge, self._store.secret)
        return renderer.prompts(entry.item, entry.verdict.repeat)

    def reread(self, *, dry_run: bool = False) -> Reread:
        """Reads the stored replies with today's reader and keeps the new verdicts; asks no model.

        `dry_run` only tells what would change.
        """
        result = reread_run(self.record, self._store, dry_run=dry_run)
        if not dry_run:
            self._summary = result.summary
        return result

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

    def export(self, path: str | Path) -> Path:
        """Writes the verdicts; the ending picks the format."""
        readable = Path(path).suffix.casefold() == ".html"  # people want to see what was judged
        write_file(Path(path), lambda: self.rows(with_item=readable))
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
    chosen = RunOptions(**options)
    loaded = load_judge(judge, chosen)
    row = single_item(item, loaded.inputs, chosen.map)
    opened = models.open_model(model, chosen.model_options)
    try:
        renderer = Renderer(loaded, _secret(chosen.store))
        most = min(chosen.concurrency, opened.capabilities.concurrency or chosen.concurrency)
        asker = Asker(opened, chosen.sampling, Limits(most, Stop()), Ledger())
        return await judge_one(Caller(loaded, asker), renderer.prompts(row))
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


async def aforesee(
    data: str | Path,
    *,
    judge: str | Sequence[str],
    model: str | Sequence[str] = "embedded",
    **options: Any,
) -> Forecast:
    """What `arun` would ask and cost; nothing is sent and nothing written."""
    return await foresee_all(str(data), _listed(judge), _listed(model), RunOptions(**options))


async def arun(
    data: str | Path,
    *,
    judge: str | Sequence[str],
    model: str | Sequence[str] = "embedded",
    out: Sequence[str | Path] = (),
    watcher: Watcher | None = None,
    **options: Any,
) -> Run:
    """Judges a file of rows; goes on where an earlier run of the same stopped."""
    files = [Path(path) for path in out]
    for path in files:
        check_path(path)
        for name in (data, *_listed(judge), *(m.partition(":")[2] for m in _listed(model))):
            if _same_file(path, Path(name)):
                raise UsageError(f"{path}: the results would take the place of {name}.")
    finished = await run_all(
        str(data), _listed(judge), _listed(model), RunOptions(**options), watcher
    )
    result = Run(finished.record, finished.store, finished.summary)
    try:
        for path in files:
            result.export(path)
    except BaseException:
        result.close()
        raise
    return result


def _same_file(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


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


def judge(
    judge: str, item: Mapping[str, object], *, model: str = "embedded", **options: Any
) -> Verdict:
    """`ajudge` for code that is not async."""
    return _wait_for(ajudge(judge, item, model=model, **options))


def foresee(data: str | Path, **options: Any) -> Forecast:
    """`aforesee` for code that is not async."""
    return _wait_for(aforesee(data, **options))


def run(data: str | Path, **options: Any) -> Run:
    """`arun` for code that is not async."""
    return _wait_for(arun(data, **options))


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
