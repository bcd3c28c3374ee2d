"""A whole run: plan, judge, keep."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass, replace
from typing import Protocol

from adjudge.core.verdict import Verdict
from adjudge.models.registry import open_model
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord, State
from adjudge.stores.registry import open_store

from .asking.stop import Draining, Stop
from .batch import run_batch
from .cautions import about_data, cautions
from .going import Host
from .interrupt import drained_by_signals
from .options import RunOptions
from .plan import Planned, load_judges, plan_run
from .summary import Summary


class Watcher(Protocol):
    """Hears what happens in a run, e.g. to show progress."""

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None: ...
    def verdict(self, verdict: Verdict) -> None: ...
    def note(self, text: str) -> None: ...
    def stopping(self) -> None: ...


class _Nobody:
    """Hears nothing."""

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None: ...
    def verdict(self, verdict: Verdict) -> None: ...
    def note(self, text: str) -> None: ...
    def stopping(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Finished:
    """`summary` is None where this session did not make all verdicts itself."""

    record: RunRecord
    store: Store
    summary: Summary | None


async def run(
    data: str,
    judge_names: Sequence[str],
    model_names: Sequence[str],
    options: RunOptions,
    watcher: Watcher | None = None,
    host: Host | None = None,
) -> Finished:
    """Judges every row that has no answer yet. The caller closes the store.

    Ctrl-C, SIGTERM and SIGHUP drain the run, unless there is a `host`; asking that to stop raises
    Draining.
    """
    judges = load_judges(judge_names, options)
    async with AsyncExitStack() as opened:
        models = []
        for name in model_names:
            models.append(open_model(name, options.model_options))
            opened.push_async_callback(models[-1].aclose)
        planned = plan_run(data, judges, models, options)
        store = await asyncio.to_thread(open_store, options.store)
        watcher = watcher or _Nobody()
        said = about_data(planned.data, planned.batch.judges)
        for caution in said + cautions(planned.batch, options):
            watcher.note(caution)
        around = host or Host(Stop())
        drained = drained_by_signals(around.stop, watcher.stopping)
        try:
            with nullcontext() if host else drained:
                summary, state = await _judge(planned, store, watcher, around)
            whole = summary.verdicts == planned.batch.verdicts
            # How it ended for us: another process may still be at work on it.
            record = replace(store.find(planned.batch.run.id), state=state)
            return Finished(record, store, summary if whole else None)
        except BaseException as error:
            store.close()
            stopped = isinstance(error, Draining | asyncio.CancelledError) and around.stop.asked
            if stopped and not host:
                raise KeyboardInterrupt from None
            raise


async def _judge(
    planned: Planned, store: Store, watcher: Watcher, host: Host
) -> tuple[Summary, State]:
    """What the new verdicts come to, summed up as they come, and how it ended."""
    run_id = planned.batch.run.id
    resumed = store.start(planned.batch.run)
    summary = Summary(run_id)
    already = store.count_answered(run_id) if resumed else 0
    complete = resumed and store.find(run_id).state == "finished"
    watcher.started(planned, resumed=resumed, already=already)

    def tell(verdict: Verdict) -> None:
        summary.add(verdict)
        watcher.verdict(verdict)

    state: State = "failed"
    try:
        ledger = await run_batch(
            planned.batch, store, host, resumed=resumed, tell=tell, say=watcher.note
        )
        state = "stopped" if ledger.used_up else "finished"
    except (Draining, asyncio.CancelledError, KeyboardInterrupt):
        state = "interrupted"
        raise
    finally:
        if summary.verdicts or not complete:  # else nothing was asked, and its times stay
            store.end(run_id, state)
    return summary, state
