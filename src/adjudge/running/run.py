"""A whole run: plan, judge, keep."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Protocol

from adjudge.core.verdict import Verdict
from adjudge.stores import RunRecord, State, Store, open_store
from adjudge.strings import file_of_words

from .asking.stop import Draining, Stop, drained_by_signals
from .batch import run_batch
from .cautions import about_data, cautions
from .options import RunOptions
from .plan import LoadedJudge, Planned, opened_models, plan_run
from .run_context import Host
from .tally import Tally


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
    """`tally` is None where this session did not make all verdicts itself."""

    record: RunRecord
    store: Store
    tally: Tally | None


async def judge_rows(
    data: str,
    judges: Sequence[LoadedJudge],
    model_names: Sequence[str],
    options: RunOptions,
    watcher: Watcher | None = None,
    host: Host | None = None,
) -> Finished:
    """Judges every row that has no answer yet. The caller closes the store.

    Ctrl-C, SIGTERM and SIGHUP drain the run, unless there is a `host`; asking that to stop raises
    Draining.
    """
    file_of_words("reasons", "en")  # an error must be able to say what it is with no file left
    async with opened_models(model_names, options) as models:
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
                tally, state = await _judge(planned, store, watcher, around)
            whole = tally.verdicts == planned.batch.verdicts
            # How it ended for us: another process may still be at work on it.
            record = replace(store.runs.find(planned.batch.run.id), state=state)
            return Finished(record, store, tally if whole else None)
        except BaseException as error:
            store.close()
            stopped = isinstance(error, Draining | asyncio.CancelledError) and around.stop.asked
            if stopped and not host:
                raise KeyboardInterrupt from None
            raise


async def _judge(
    planned: Planned, store: Store, watcher: Watcher, host: Host
) -> tuple[Tally, State]:
    """The new verdicts, counted as they come, and how it ended."""
    run_id = planned.batch.run.id
    resumed = store.runs.start(planned.batch.run)
    tally = Tally(run_id)
    already = store.runs.count_answered(run_id) if resumed else 0
    complete = resumed and store.runs.find(run_id).state == "finished"
    watcher.started(planned, resumed=resumed, already=already)

    def tell(verdict: Verdict) -> None:
        tally.add(verdict)
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
        if tally.verdicts or not complete:  # else nothing was asked, and its times stay
            store.runs.end(run_id, state)
    return tally, state
