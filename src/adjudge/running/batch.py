"""Judges a dataset: rows stream in, verdicts stream into the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adjudge.core.verdict import Verdict
from adjudge.models.base import Model
from adjudge.stores.base import Entry, Store

from .asking.asker import Asker
from .asking.budget import Ledger
from .asking.cache import ReplyCache
from .asking.limits import Limits
from .asking.stop import Draining, Stop
from .call import Caller
from .feed import Feed
from .going import Going
from .one import judge_one
from .plan import Batch
from .provider_batch import ProviderBatch
from .recorder import Recorder
from .together import together

_LAG = 0.004  # of all verdicts may wait for a commit, so that the disk does not hold up the asking
_NEXT_PASS = 1.0  # seconds before looking again at rows that another process was working on


async def run_batch(
    batch: Batch,
    store: Store,
    stop: Stop,
    *,
    resumed: bool,
    tell: Callable[[Verdict], None],
    say: Callable[[str], None],
) -> Ledger:
    """Asks what the store has no answer to yet; `tell` hears of every new verdict once it is kept,
    `say` of what takes long.

    However it ends, what was answered is in the store. Raises what stopped it: a fatal
    ProviderError, StoreError, DataError, a cancellation, or Draining when `stop` was asked for.
    """
    ledger = Ledger(batch.budget)
    record = store.find(batch.run.id)
    ledger.start_at(record.tokens, record.usd)
    lag = round(batch.verdicts * _LAG)
    async with Recorder(store, batch.run.id, lag, tell, ledger.heard) as recorder:
        ledger.tell = recorder.spend
        going = Going(batch, store, recorder, ledger, stop)
        for model in batch.models:
            asker = asker_for(going, model)
            if batch.by_batch and model.batches:  # the plan has seen to the latter
                handed_over = ProviderBatch(going, asker, model.batches, say)
                await handed_over.answer(resumed=resumed)
                asker.refused = handed_over.refused
            await _judge_all(going, asker, resumed=resumed)
    return ledger


async def _judge_all(going: Going, asker: Asker, *, resumed: bool) -> None:
    while True:
        feed = Feed(going.batch, going.store, asker, resumed=resumed)
        callers = {judge.name: Caller(judge, asker) for judge in going.batch.judges}
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
    )
    cache = None
    if model.capabilities.cached:
        cache = ReplyCache(going.recorder, going.stop, batch.run.id, model.name)
    return Asker(model, batch.sampling, limits, going.ledger, cache=cache, scope=batch.scope)


async def _worker(feed: Feed, callers: Mapping[str, Caller], recorder: Recorder) -> None:
    """Takes the next row whenever it is free."""
    while work := await feed.next():
        try:
            verdict = await judge_one(callers[work.judge.name], work.prompts, work.keys)
        except Draining:
            continue  # the replies so far are kept; the row is judged when the run goes on
        await recorder.add(Entry(work.position, work.item, verdict))
