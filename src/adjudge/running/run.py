"""A whole run: plan, judge, keep."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Protocol

from adjudge.core.verdict import Verdict
from adjudge.models.registry import open_model
from adjudge.stores.base import RunRecord, State, Store
from adjudge.stores.registry import open_store

from .batch import run_batch
from .options import RunOptions
from .plan import Planned, load_judges, plan_run


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
    judges = load_judges(judge_names, options)
    async with AsyncExitStack() as opened:
        models = []
        for name in model_names:
            models.append(open_model(name, options.model_options))
            opened.push_async_callback(models[-1].aclose)
        planned = plan_run(data, judges, models, options)
        store = await asyncio.to_thread(open_store, options.store)
        try:
            await _judge(planned, store, watcher)
            return Finished(store.find(planned.batch.run.id), store)
        except BaseException:
            store.close()
            raise


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
