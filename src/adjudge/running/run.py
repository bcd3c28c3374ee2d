"""A whole run: plan, judge, keep."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Protocol

from adjudge.core.reason import Reason
from adjudge.core.verdict import Verdict
from adjudge.datasets import Data
from adjudge.errors import ModelUnavailable
from adjudge.judges.first import requests
from adjudge.stores import RunRecord, State, Store
from adjudge.strings import file_of_words

from .asking.budget import Ledger
from .asking.client import ModelClient
from .asking.limits import Host, Limits
from .asking.stop import Draining, Stop, drained_by_signals
from .cautions import about_data, about_replays, cautions
from .engines import Progress, RunEngine, opened_engine
from .feed import Work, chunks
from .options import RunOptions
from .plan import Batch, LoadedJudge, ModelLike, Planned, opened_models, plan_run, recording_of
from .recording import missing_in_cache
from .tally import Tally

_NAMED = 5  # rows without a reply that are named one by one


class Watcher(Protocol):
    """Hears what happens in a run, e.g. to show progress."""

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None: ...
    def verdict(self, verdict: Verdict) -> None: ...
    def counted(self, progress: Progress) -> None: ...
    def note(self, text: str) -> None: ...
    def stopping(self) -> None: ...


class SilentWatcher:
    """Hears nothing, but what a subclass is for."""

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None: ...
    def verdict(self, verdict: Verdict) -> None: ...
    def counted(self, progress: Progress) -> None: ...
    def note(self, text: str) -> None: ...
    def stopping(self) -> None: ...


class _Audience:
    """Counts what is new, and passes it on."""

    def __init__(self, run_id: str, watcher: Watcher) -> None:
        self.tally, self.new = Tally(run_id), 0
        self._watcher = watcher
        self.note = watcher.note

    def verdict(self, verdict: Verdict) -> None:
        self.tally.add(verdict)
        self.new += 1
        self._watcher.verdict(verdict)

    def counted(self, progress: Progress) -> None:
        self.new = progress.verdicts
        self._watcher.counted(progress)


@dataclass(frozen=True, slots=True)
class Finished:
    """`tally` is None where this session did not make all verdicts itself."""

    record: RunRecord
    store: Store
    tally: Tally | None


async def judge_rows(
    data: str | Data,
    judges: Sequence[LoadedJudge],
    chosen: Sequence[ModelLike],
    options: RunOptions,
    watcher: Watcher | None = None,
    host: Host | None = None,
) -> Finished:
    """Judges every row that has no answer yet. The caller closes the store.

    Ctrl-C, SIGTERM and SIGHUP drain the run, unless there is a `host`; asking that to stop raises
    Draining.
    """
    file_of_words("reasons", "en")  # an error must be able to say what it is with no file left
    recording = recording_of(options)
    async with (
        opened_models(chosen, options, recording) as models,
        opened_engine(options, data, chosen) as engine,
    ):
        planned = plan_run(data, judges, models, options, engine.scan, recording)
        store = await asyncio.to_thread(engine.open_store, options.store)
        watcher = watcher or SilentWatcher()
        said = about_data(planned.data, planned.batch.judges)
        if any(model.name.startswith("replay:") for model in models) and not options.shard:
            said += await asyncio.to_thread(about_replays, planned.batch, store)
        for caution in said + cautions(planned.batch, options):
            watcher.note(str(caution))
        around = host or Host(Stop())
        store.database.wait_for(_from_any_thread(watcher.note), lambda: around.stop.asked)
        drained = drained_by_signals(around.stop, watcher.stopping)
        try:
            with nullcontext() if host else drained:
                try:
                    tally, state = await _judge(engine, planned, store, watcher, around)
                finally:
                    if recording:
                        recording.save()
            whole = not planned.batch.shard and tally.verdicts == planned.batch.verdicts
            part_done = planned.batch.shard and state == "finished"
            if part_done:
                watcher.note(str(_part_done(planned, options, store)))
            kept = store.steadily(lambda: store.runs.find(planned.batch.run.id))
            # How it ended for us: another process may still be at work on it. A part that is done
            # is not the run.
            record = kept if part_done else replace(kept, state=state)
            return Finished(record, store, tally if whole else None)
        except BaseException as error:
            store.close()
            stopped = isinstance(error, Draining | asyncio.CancelledError) and around.stop.asked
            if stopped and not host:
                raise KeyboardInterrupt from None
            raise


def _from_any_thread(note: Callable[[str], None]) -> Callable[[str], None]:
    loop = asyncio.get_running_loop()

    def say(text: str) -> None:
        loop.call_soon_threadsafe(note, text)

    return say


def _answered(planned: Planned, store: Store) -> int:
    run_id, shard = planned.batch.run.id, planned.batch.shard
    return store.verdicts.count_part(run_id, *shard) if shard else store.runs.count_answered(run_id)


def _part_done(planned: Planned, options: RunOptions, store: Store) -> Reason:
    run = planned.batch.run
    there = store.runs.progress(run.id).verdicts
    return Reason("run.part_done", part=options.shard, verdicts=there, whole=run.whole)


def _check_offline(batch: Batch, store: Store) -> None:
    """ModelUnavailable that names the rows whose requests nobody has answered."""
    missing: list[Reason] = []
    for model in batch.models:
        client = ModelClient(
            model, batch.sampling, Limits(1, Stop()), Ledger(), namespace=batch.namespace
        )
        for chunk in chunks(batch, store, model, resumed=True):
            missing += _unanswered(batch, store, client, chunk)
    if missing:
        more = (Reason("rows.more", n=len(missing) - _NAMED),) if len(missing) > _NAMED else ()
        entries = tuple(Reason("rows.entry", why=why) for why in missing[:_NAMED])
        said = Reason("recording.rows", n=len(missing), rows=entries + more)
        raise ModelUnavailable(said.in_file(batch.recording.path) if batch.recording else said)


def _unanswered(
    batch: Batch, store: Store, client: ModelClient, chunk: Sequence[Work]
) -> Iterator[Reason]:
    asked = [(work, prompt) for work in chunk for prompt in requests(work.prompts)]
    if batch.recording:
        name, sampling = client.model.name, client.sampling
        there = [batch.recording.has(name, prompt, sampling) for _, prompt in asked]
    else:
        keys = [client.key(prompt) for _, prompt in asked]
        kept = store.replies.have(keys)
        there = [key in kept or not client.model.capabilities.cached for key in keys]
    for (work, prompt), known in zip(asked, there, strict=True):
        if not known and not client.too_long(prompt):
            yield missing_in_cache(prompt, work.item.place)


async def _judge(
    engine: RunEngine, planned: Planned, store: Store, watcher: Watcher, host: Host
) -> tuple[Tally, State]:
    """The new verdicts, counted as they come, and how it ended."""
    run_id = planned.batch.run.id
    resumed = store.runs.start(planned.batch.run)
    audience = _Audience(run_id, watcher)
    # A recording needs every reply, so that every row is gone through again.
    already = _answered(planned, store) if resumed and not planned.batch.recording else 0
    kept = store.runs.find(run_id)
    complete = resumed and kept.state == "finished"
    named = replace(planned, batch=replace(planned.batch, run=kept))
    watcher.started(named, resumed=resumed, already=already)
    state: State = "failed"
    try:
        if planned.batch.offline:
            _check_offline(planned.batch, store)
        used_up = await engine.judge(planned, store, host, audience, resumed=resumed)
        state = "stopped" if used_up else "finished"
    except (Draining, asyncio.CancelledError, KeyboardInterrupt):
        state = "interrupted"
        raise
    finally:
        if audience.new or not complete:  # else nothing was asked, and its times stay
            # A part ends the run where all others have ended too.
            whole = planned.batch.run.whole if planned.batch.shard else None
            store.steadily(lambda: store.runs.end(run_id, state, whole))
    return audience.tally, state
