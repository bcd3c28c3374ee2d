"""Judges a dataset: rows stream in, verdicts stream into the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

from adjudge.core.verdict import Verdict
from adjudge.models.base import Capabilities, Model
from adjudge.stats.majority import steps
from adjudge.stores.base import Store
from adjudge.stores.records import Cost, Entry

from .asking.asker import Asker
from .asking.budget import Ledger
from .asking.cache import ReplyCache
from .asking.limits import Limits
from .asking.stop import Draining
from .call import Caller
from .cascade_stages import Stages
from .cautions import lost
from .feed import Feed, Wanted
from .fitting import judge_fitted
from .going import Going, Host
from .one import judge_one
from .plan import Batch
from .provider_batch import ProviderBatch
from .recorder import Recorder
from .stable import decided
from .textless import textless
from .together import together

_LAG = 0.004  # of all verdicts may wait for a commit, so that the disk does not hold up the asking
_NEXT_PASS = 1.0  # seconds before looking again at rows that another process was working on


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
    lag = round(batch.verdicts * _LAG)
    written = store if batch.run.keeps_texts else textless(store)
    async with Recorder(written, batch.run.id, lag, tell) as recorder:
        ledger = Ledger(
            batch.budget, recorder.reserve, at_once=batch.concurrency, pause=host.stop.sleep
        )
        ledger.tell = recorder.spend
        if batch.budget and any(gone := store.reservations.left_behind(batch.run.id)):
            say(_left_behind(gone))
        going = Going(batch, store, recorder, ledger, host)
        stages = Stages(batch.cascade, store, batch.run.id) if batch.cascade else None
        for model in batch.models:
            asker = asker_for(going, model)
            asker.noticed = partial(_say_what_is_lost, model.name, say)
            if batch.by_batch and model.batches:  # the plan has seen to the latter
                handed_over = ProviderBatch(going, asker, model.batches, say)
                await handed_over.answer(resumed=resumed)
                asker.refused = handed_over.refused
            await _judge_by(going, asker, stages, resumed=resumed)
            if stages and ledger.used_up:
                break  # what the next model is to be asked cannot be known
            if stages:
                await recorder.flush()
                await asyncio.to_thread(stages.end, model.name)
    return ledger


def _left_behind(gone: Cost) -> str:
    return (
        f"{gone.tokens:,} tokens (${gone.usd:.4f}) of the budget stay reserved: they are for"
        " requests that were under way when a process was killed, which may be billed"
    )


def _say_what_is_lost(
    model: str, say: Callable[[str], None], before: Capabilities, now: Capabilities
) -> None:
    if text := lost(before, now):
        say(f"{model} {text}")


async def _judge_by(going: Going, asker: Asker, stages: Stages | None, *, resumed: bool) -> None:
    """All that one model is asked."""
    batch = going.batch
    if not batch.stop_when_stable:
        wanted = Wanted(range(batch.repeat), stages.done if stages else None)
        await _judge_all(going, asker, wanted, resumed=resumed)
        return
    for samples in steps(batch.repeat):
        done = None
        if samples.start or resumed:
            await going.recorder.flush()
            model = asker.model.name
            done = await asyncio.to_thread(decided, going.store, batch.run.id, model, batch.repeat)
        await _judge_all(going, asker, Wanted(samples, done), resumed=resumed)


async def _judge_all(going: Going, asker: Asker, wanted: Wanted, *, resumed: bool) -> None:
    while True:
        feed = Feed(going.batch, going.store, asker, wanted, resumed=resumed)
        callers = {
            judge.name: Caller(judge, asker, samples=going.batch.samples)
            for judge in going.batch.judges
        }
        workers = (_worker(feed, callers, going.recorder) for _ in range(asker.limits.most))
        await together([feed.fill(), *workers])
        going.stop.check()
        if not feed.skipped:
            return
        await going.stop.sleep(_NEXT_PASS)
        resumed = True


def asker_for(going: Going, model: Model) -> Asker:
    batch = going.batch
    limits = Limits(
        min(batch.concurrency, model.capabilities.concurrency or batch.concurrency),
        going.stop,
        requests_a_minute=batch.requests_a_minute,
        tokens_a_minute=batch.tokens_a_minute,
        places=going.host.places.get(model.name),
    )
    cache = None
    if model.capabilities.cached:
        cache = ReplyCache(going.recorder, going.stop, batch.run.id, model.name)
    return Asker(model, batch.sampling, limits, going.ledger, cache=cache, scope=batch.scope)


async def _worker(feed: Feed, callers: Mapping[str, Caller], recorder: Recorder) -> None:
    """Takes the next row whenever it is free."""
    while work := await feed.next():
        try:
            caller = callers[work.judge.name]
            if work.fitter:
                verdict = await judge_fitted(caller, work.fitter, work.item, work.fitted, work.keys)
            else:
                verdict = await judge_one(caller, work.prompts, work.keys)
        except Draining:
            continue  # the replies so far are kept; the row is judged when the run goes on
        await recorder.add(Entry(work.position, work.item, verdict))
