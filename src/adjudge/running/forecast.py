"""What a run would ask and cost, without asking anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reply import Usage
from adjudge.core.score import on_samples
from adjudge.core.verdict import Verdict
from adjudge.datasets import Data
from adjudge.judges.first import requests
from adjudge.models.prices import priced
from adjudge.stores import Store, existing_store
from adjudge.stores.replies import Replies
from adjudge.stores.textless import keeping

from .asking.budget import Ledger
from .asking.client import ModelClient
from .asking.limits import Limits
from .asking.stop import Stop
from .cautions import about_data, always_sampled, cautions, reservations
from .engines import opened_engine
from .feed import Work, chunks, ready_prompts
from .options import RunOptions
from .plan import Batch, LoadedJudge, ModelLike, Planned, opened_models, plan_run, recording_of
from .weighing import samples_of

# Where no earlier verdict tells: a reply of some sentences, written at the pace of a hosted model.
_TOKENS_A_TEXT, _TOKENS_A_SECOND, _FIRST_SECOND = 60, 50.0, 1.0
_BATCH = 86_400.0  # seconds within which the providers promise to answer a batch


@dataclass(slots=True)
class ForecastPart:
    """One judge and model. `calls` are still to be made, `kept` need not be.

    `measured` says that reply tokens and seconds come from earlier verdicts of the same judge and
    model; else they are a rule of thumb. `cost_usd` is None when the price is not known. `too_long`
    counts calls whose prompt is surely beyond the model's context, and `shortened` rows whose texts
    are cut. `samples` are those of the calls that are made since no probabilities will come.
    """

    judge: str
    model: str
    calls: int = 0
    kept: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0
    measured: bool = False
    too_long: int = 0
    shortened: int = 0
    samples: int = 0


@dataclass(frozen=True, slots=True)
class Forecast:
    run: str
    rows: int
    verdicts: int
    already: int
    parts: list[ForecastPart] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)


async def forecast_run(
    data: str | Data,
    judges: Sequence[LoadedJudge],
    chosen: Sequence[ModelLike],
    options: RunOptions,
) -> Forecast:
    """Reads and renders everything as the run would; makes no request and writes nothing."""
    recording = recording_of(options)
    async with (
        opened_models(chosen, options, recording) as models,
        opened_engine(options, data, chosen) as engine,
    ):
        planned = plan_run(data, judges, models, options, engine.scan, recording)
        at_once = planned.batch.concurrency * engine.workers
        planned = replace(planned, batch=replace(planned.batch, concurrency=at_once))
        with _store(options.store) as store:
            said = about_data(planned.data, planned.batch.judges)
            said += cautions(planned.batch, options) + reservations(planned.batch)
            return _forecast(planned, store, [str(reason) for reason in said])


@contextmanager
def _store(url: str) -> Iterator[Store | None]:
    """The store, if there is one; none is made for a forecast."""
    store = existing_store(url)
    try:
        yield store
    finally:
        if store:
            store.close()


def _forecast(planned: Planned, store: Store | None, said: list[str]) -> Forecast:
    batch = planned.batch
    already = store.runs.count_answered(batch.run.id) if store else 0
    parts = [
        _part(replace(batch, judges=(judge,), models=(model,)), store)
        for model in batch.models
        for judge in batch.judges
    ]
    return Forecast(batch.run.id, batch.run.rows, batch.verdicts, already, parts, said)


def _part(batch: Batch, store: Store | None) -> ForecastPart:
    """One judge and one model."""
    (judge,), (model,) = batch.judges, batch.models
    part, longest = ForecastPart(judge.name, model.name), 0
    client = ModelClient(
        model, batch.sampling, Limits(1, Stop()), Ledger(), namespace=batch.namespace
    )
    replies = keeping(store, batch.run.keep).replies if store else None
    cache = replies if model.capabilities.cached else None
    firsts: set[str] = set()
    for chunk in chunks(batch, store, model, resumed=True):
        prompts = _prompts(client, chunk, cache, firsts)
        samples = _samples(client, prompts) if always_sampled(model, batch) else {}
        keys = [*prompts, *samples]
        kept = cache.have(keys) if cache else set()
        missing = [prompt for key, prompt in prompts.items() if key not in kept]
        part.kept += len(kept)
        sent = [prompt for prompt in missing if not client.too_long(prompt)]
        part.too_long += len(missing) - len(sent)
        more = [prompt for key, prompt in samples.items() if key not in kept]
        part.samples += len(more)
        sent += more
        part.calls += len(sent)
        part.shortened += sum(bool(work.fitted.cuts) for work in chunk)
        sizes = [client.guess.rough(prompt) for prompt in sent]
        part.input_tokens += sum(sizes)
        longest = max(longest, *sizes, 0)
    earlier = store.verdicts.recent(judge.name, model.name) if store else []
    _estimate(part, batch, reply_pace(judge, earlier))
    part.cost_usd = _cost(part, batch, longest)
    return part


def _prompts(
    client: ModelClient, chunk: Sequence[Work], cache: Replies | None, firsts: set[str]
) -> dict[str, Prompt]:
    """All that is asked about rows, by its key. What is asked before an item is counted once for
    all rows that share it: `firsts` are those that were counted before."""
    prompts: dict[str, Prompt] = {}
    for work in chunk:
        ready: Sequence[Prompt] = [prompt for prompt in work.prompts if prompt.messages]
        if work.prompts[0].first is not None:
            (before,) = requests(work.prompts)
            key = client.key(before)
            if key not in firsts:
                firsts.add(key)
                prompts[key] = before
            kept = cache.read([key]) if cache else {}
            if kept:
                ready = ready_prompts(work.prompts, client.key, kept)
        prompts |= {client.key(prompt): prompt for prompt in ready}
    return prompts


def _samples(client: ModelClient, prompts: Mapping[str, Prompt]) -> dict[str, Prompt]:
    """What else is asked, by its key; nothing where the first question gets no reply."""
    sampler = client.sampler()
    asked = (prompt for prompt in prompts.values() if not client.too_long(prompt))
    samples = (sample for prompt in asked for sample in samples_of(prompt))
    return {key: sample for sample in samples if (key := sampler.key(sample)) not in prompts}


@dataclass(frozen=True, slots=True)
class ReplyPace:
    """Of one call: tokens of the reply, and seconds."""

    tokens: float
    seconds: float
    measured: bool


def reply_pace(judge: Judge, earlier: Sequence[Verdict]) -> ReplyPace:
    """Measured on earlier verdicts where a model was asked for some; else a rule of thumb."""
    paid = [verdict for verdict in earlier if verdict.attempts]
    calls = sum(map(_calls, paid))
    if calls:
        tokens = sum(verdict.usage.output_tokens for verdict in paid) / calls
        seconds = sum(verdict.latency_ms for verdict in paid) / calls / 1000
        return ReplyPace(tokens, seconds, measured=True)
    texts = len(judge.feedback) + sum(
        criterion.explain is True for criterion in judge.rubric.criteria.values()
    )
    tokens = _TOKENS_A_TEXT * (texts + 1) / max(1, len(judge.calls()))
    return ReplyPace(tokens, _FIRST_SECOND + tokens / _TOKENS_A_SECOND, measured=False)


def _calls(verdict: Verdict) -> int:
    """The calls that a verdict took, its samples among them: tokens and seconds are of all."""
    sampled = any(on_samples(score.distribution, score.mass) for score in verdict.scores.values())
    return verdict.attempts if sampled else len(verdict.calls)


def _estimate(part: ForecastPart, batch: Batch, pace: ReplyPace) -> None:
    (model,) = batch.models
    part.measured = pace.measured
    part.output_tokens = round(part.calls * pace.tokens)
    at_once = min(batch.concurrency, model.capabilities.concurrency or batch.concurrency)
    if batch.by_batch:  # samples are not a part of it
        waits = _BATCH if part.calls > part.samples else 0.0
        part.seconds = waits + part.samples * pace.seconds / at_once
        return
    part.seconds = part.calls * pace.seconds / at_once
    if batch.requests_a_minute:
        part.seconds = max(part.seconds, part.calls / batch.requests_a_minute * 60)
    if batch.tokens_a_minute:
        tokens = part.input_tokens + part.output_tokens
        part.seconds = max(part.seconds, tokens / batch.tokens_a_minute * 60)


def _cost(part: ForecastPart, batch: Batch, longest: int) -> float | None:
    """None where a prompt is longer than the price holds for, and where there is no price."""
    (model,) = batch.models
    if priced(Usage(input_tokens=longest), model.price).cost_usd is None or not model.price:
        return None
    usage = Usage(input_tokens=part.input_tokens, output_tokens=part.output_tokens)
    direct = part.samples / part.calls if part.calls and batch.by_batch else 0.0
    in_batch = model.price.cost(usage, batch=batch.by_batch)
    return direct * model.price.cost(usage) + (1.0 - direct) * in_batch
