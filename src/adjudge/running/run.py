"""A whole run: plan, judge, keep."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from adjudge.core.verdict import Verdict
from adjudge.models.base import Model
from adjudge.stores.base import RunRecord, State, Store
from adjudge.stores.registry import open_store

from .batch import run_batch
from .options import RunOptions
from .plan import Planned, plan_run


class Watcher(Protocol):
    """Hears what happens in a run, e.g. to show progress."""

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None: ...
    def verdict(self, verdict: Verdict) -> None: ...


@dataclass(frozen=True, slots=True)
class Finished:
    record: RunRecord
    store: Store


async def run(
    data: str,
    judge_names: Sequence[str],
    model_names: Sequence[str],
    options: RunOptions,
    watcher: Watcher | None = None,
) -> Finished:
    """Judges every row that has no answer yet. The caller closes the store."""
    planned = plan_run(data, judge_names, model_names, options)
    store = await asyncio.to_thread(open_store, options.store)
    try:
        await _judge(planned, store, watcher)
    except BaseException:
        store.close()
        raise
    finally:
        await _close(planned.batch.models)
    return Finished(store.find(planned.batch.run.id), store)


async def _judge(planned: Planned, store: Store, watcher: Watcher | None) -> None:
    run_id = planned.batch.run.id
    resumed = store.start(planned.batch.run)
    tell: Callable[[Verdict], None] = lambda _: None  # noqa: E731 - nobody listens
    if watcher:
        already = store.count_answered(run_id) if resumed else 0
        watcher.started(planned, resumed=resumed, already=already)
        tell = watcher.verdict
    state: State = "failed"
    try:
        await run_batch(planned.batch, store, resumed=resumed, tell=tell)
        state = "finished"
    except (asyncio.CancelledError, KeyboardInterrupt):
        state = "interrupted"
        raise
    finally:
        store.end(run_id, state)


async def _close(models: Sequence[Model]) -> None:
    for model in models:
        await model.aclose()
