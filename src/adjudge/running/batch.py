"""Judges a dataset: rows stream in, verdicts stream into the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Sampling
from adjudge.core.verdict import Verdict
from adjudge.judges.render import Renderer
from adjudge.models.base import Model
from adjudge.stores.base import Entry, RunRecord, Store

from .limited import Limited
from .one import judge_one
from .recorder import Recorder
from .together import together

_CHUNK = 200  # items looked up at once when a run goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a run asks of whom. `items` gives the rows anew each time it is called."""

    run: RunRecord
    items: Callable[[], Iterator[Item]]
    judges: tuple[Judge, ...]
    models: tuple[Model, ...]
    sampling: Sampling
    repeat: int = 1
    concurrency: int = 8


@dataclass(frozen=True, slots=True)
class _Work:
    position: int
    item: Item
    renderer: Renderer
    repeat: int


async def run_batch(
    batch: Batch, store: Store, *, resumed: bool, tell: Callable[[Verdict], None]
) -> None:
    """Asks what the store has no answer to yet; `tell` hears of every new verdict.

    However it ends, what was answered is in the store. Raises what stopped it: a fatal
    ProviderError, StoreError, DataError, or a cancellation.
    """
    recorder = Recorder(store, batch.run.id)
    async with recorder:
        for model in batch.models:
            limited = Limited(model, batch.concurrency)
            work = _work(batch, store, model.name, resumed=resumed)
            await together(
                _worker(work, limited, batch.sampling, recorder, tell) for _ in range(limited.most)
            )


def _work(batch: Batch, store: Store, model: str, *, resumed: bool) -> Iterator[_Work]:
    """One judge after the other, so that a model's cached prefix serves all rows of a judge."""
    for judge in batch.judges:
        renderer = Renderer(judge, store.secret)
        for repeat in range(batch.repeat):
            rows = enumerate(batch.items())
            while chunk := list(islice(rows, _CHUNK)):
                done: set[str] = set()
                if resumed:
                    ids = [item.id for _, item in chunk]
                    done = store.answered(batch.run.id, (judge.name, model, repeat), ids)
                for position, item in chunk:
                    if item.id not in done:
                        yield _Work(position, item, renderer, repeat)


async def _worker(
    work: Iterable[_Work],
    model: Model,
    sampling: Sampling,
    recorder: Recorder,
    tell: Callable[[Verdict], None],
) -> None:
    """Workers share one iterator: each takes the next row when it is free."""
    for each in work:
        verdict = await judge_one(each.renderer, each.item, model, sampling, each.repeat)
        await recorder.add(Entry(each.position, each.item, verdict))
        tell(verdict)
