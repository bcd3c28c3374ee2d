"""Judges a dataset: rows stream in, verdicts stream into the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from adjudge.core.score import UNANSWERED
from adjudge.core.verdict import Verdict
from adjudge.models.base import Capabilities, Model
from adjudge.stats.samples import is_decided, steps
from adjudge.stores import Cost, Entry, Store
from adjudge.stores.textless import keeping

from .asking.budget import Ledger
from .asking.cache import ReplyCache
from .asking.client import ModelClient
from .asking.limits import Host, Limits
from .asking.stop import Draining, Stop
from .call import Caller
from .cascade import Stages
from .cautions import lost
from .checks import PythonCheck, checked
from .feed import Feed, SamplePass
from .fitting import judge_fitted
from .one import gather, judge_item
from .plan import Batch
from .provider_batch import ProviderBatch
from .recorder import Recorder

_NEXT_PASS = 1.0  # seconds before looking again at rows that another process was working on


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the parts of a run share while it lasts."""

    batch: Batch
    store: Store
    recorder: Recorder
    ledger: Ledger
    host: Host

    @property
    def stop(self) -> Stop:
        return self.host.stop


async def run_batch(
    batch: Batch,
    store: Store,
    host: Host,
    *,
    resumed: bool,
    tell: Callable[[Verdict], None],
    say: Callable[[str], None],
) -> Ledger:
    """Asks what the store has no answer to yet; `tell` hears of every new verdict once it is kept,
    `say` of what takes long.

    However it ends, what was answered is in the store. Raises what stopped it: a fatal
    ProviderError, StoreError, DataError, a cancellation, or Draining when a stop was asked for.
    """
    lag = round(batch.verdicts * store.database.lag)
    async with Recorder(keeping(store, batch.run.keep), batch.run.id, lag, tell) as recorder:
        ledger = Ledger(
            batch.budget, recorder.reserve, at_once=batch.concurrency, pause=host.stop.sleep
        )
        ledger.tell = recorder.spend
        if batch.budget and any(gone := store.reservations.orphaned(batch.run.id)):
            say(left_behind(gone))
        context = RunContext(batch, store, recorder, ledger, host)
        stages = Stages(batch.cascade, store, batch.run.id) if batch.cascade else None
        for model in batch.models:
            client = client_for(context, model)
            client.noticed = partial(_say_what_is_lost, model.name, say)
            if batch.by_batch and model.batches:  # the plan has seen to the latter
                handed_over = ProviderBatch(context, client, model.batches, say)
                await handed_over.answer(resumed=resumed)
                client.refused = handed_over.refused
            await _judge_by(context, client, stages, resumed=resumed)
            if stages and ledger.used_up:
                break  # what the next model is to be asked cannot be known
            if stages:
                await recorder.flush()
                await asyncio.to_thread(stages.end, model.name)
    return ledger


def left_behind(gone: Cost) -> str:
    """What is said about a budget if a killed process had reserved some of it."""
    return (
        f"{gone.tokens:,} tokens (${gone.usd:.4f}) of the budget stay reserved: they are for"
        " requests that were under way when a process was killed, which may be billed"
    )


def _say_what_is_lost(
    model: str, say: Callable[[str], None], before: Capabilities, now: Capabilities
) -> None:
    if reason := lost(model, before, now):
        say(str(reason))


async def _judge_by(
    context: RunContext, client: ModelClient, stages: Stages | None, *, resumed: bool
) -> None:
    """All that one model is asked."""
    batch = context.batch
    resumed = resumed and batch.recording is None
    if not batch.stop_when_stable:
        every_sample = SamplePass(range(batch.repeat), stages.done if stages else None)
        await _judge_all(context, client, every_sample, resumed=resumed)
        return
    for samples in steps(batch.repeat):
        done = None
        if samples.start or resumed:
            await context.recorder.flush()
            model = client.model.name
            done = await asyncio.to_thread(
                decided, context.store, batch.run.id, model, batch.repeat
            )
        await _judge_all(context, client, SamplePass(samples, done), resumed=resumed)


async def _judge_all(
    context: RunContext, client: ModelClient, one_pass: SamplePass, *, resumed: bool
) -> None:
    while True:
        feed = Feed(context.batch, context.store, client, one_pass, resumed=resumed)
        callers = {
            judge.name: Caller(judge, client, samples=context.batch.samples)
            for judge in context.batch.judges
        }
        checks = context.batch.checks
        workers = (
            _worker(feed, callers, context.recorder, checks) for _ in range(client.limits.most)
        )
        await gather([feed.fill(), *workers])
        context.stop.check()
        if not feed.skipped:
            return
        await context.stop.sleep(_NEXT_PASS)
        resumed = True


def client_for(context: RunContext, model: Model) -> ModelClient:
    batch = context.batch
    limits = context.host.limits.get(model.name) or Limits(
        min(batch.concurrency, model.capabilities.concurrency or batch.concurrency),
        context.stop,
        requests_a_minute=batch.requests_a_minute,
        tokens_a_minute=batch.tokens_a_minute,
        slots=context.host.slots.get(model.name),
    )
    cache = None
    if model.capabilities.cached:
        cache = ReplyCache(context.recorder, context.stop, batch.run.id, model.name)
    client = ModelClient(
        model, batch.sampling, limits, context.ledger, cache=cache, namespace=batch.namespace
    )
    client.recording, client.offline = batch.recording, batch.offline
    return client


async def _worker(
    feed: Feed,
    callers: Mapping[str, Caller],
    recorder: Recorder,
    checks: Sequence[PythonCheck] = (),
) -> None:
    """Takes the next row whenever it is free."""
    while work := await feed.next():
        try:
            caller = callers[work.judge.name]
            if work.fitter:
                verdict = await judge_fitted(caller, work.fitter, work.item, work.fitted, work.keys)
            else:
                verdict = await judge_item(caller, work.prompts, work.keys)
        except Draining:
            continue  # the replies so far are kept; the row is judged when the run continues
        verdict = checked(verdict, work.item, checks)
        await recorder.add(Entry(work.position, work.item, verdict))


def decided(store: Store, run_id: str, model: str, samples: int) -> Callable[[str, str], bool]:
    """Says, by the names of judge and item, whether the kept samples decide all criteria."""
    verdicts = (
        entry.verdict for entry in store.verdicts.entries(run_id) if entry.verdict.model == model
    )
    settled = {
        names
        for names, repeats in groupby(verdicts, lambda verdict: (verdict.judge, verdict.item))
        if _all_decided(list(repeats), samples)
    }
    return lambda judge, item: (judge, item) in settled


def _all_decided(verdicts: Sequence[Verdict], samples: int) -> bool:
    """A sample that was answered without a score is taken; one without an answer is to come."""
    taken = [verdict for verdict in verdicts if verdict.outcome not in UNANSWERED]
    return all(
        is_decided(
            [value for verdict in taken if (value := verdict.scores[name].value) is not None],
            samples - len(taken),
        )
        for name in verdicts[0].scores
    )
