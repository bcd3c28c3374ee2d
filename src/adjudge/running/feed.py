"""Rows → work: a little ahead of the workers, prompts are made and looked up in the reply cache."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.judges import renderer_for
from adjudge.judges.first import committed, requests
from adjudge.judges.likelihood import LikelihoodRenderer
from adjudge.models import Model
from adjudge.stores import KeptReply, Store

from .asking.client import ModelClient
from .fitting import Fitted, Fitter
from .plan import Batch

_AHEAD = 128  # rows that are ready before the workers want them
_CHUNK = 64  # rows looked up in one commit; more at once would keep replies waiting
_MOST = 4_000_000  # characters of prompts ahead; of very long rows there are fewer
_GATHERED = 16_000_000  # characters of rows among which those of one source are brought together
_ROW = 1_000  # what a row takes there besides its texts, in characters


@dataclass(slots=True)
class Work:
    """One row for one judge, ready to be asked.

    `keys` are what the replies to its requests are kept under, once that is known. `size` is in
    characters. `fitter` is there where texts may be cut, and `fitted` is what it made of the row.
    """

    position: int
    item: Item
    judge: Judge
    fitted: Fitted
    size: int
    keys: Sequence[str] = ()
    fitter: Fitter | None = None

    @property
    def prompts(self) -> Sequence[Prompt]:
        return self.fitted.prompts


@dataclass(frozen=True, slots=True)
class SamplePass:
    """The part of a run that a pass is about: these samples of the items that are not `done`, which
    is asked with the names of the judge and of the item."""

    samples: Sequence[int]
    done: Callable[[str, str], bool] | None = None


class Feed:
    """One pass over the data for one model. `fill` runs beside the workers, who take `next`.

    Rows whose requests another process is making are left out and counted in `skipped`: once that
    process is done, a further pass finds its replies.
    """

    def __init__(
        self,
        batch: Batch,
        store: Store,
        client: ModelClient,
        part: SamplePass | None = None,
        *,
        resumed: bool,
    ) -> None:
        self._batch, self._store, self._client = batch, store, client
        self._part, self._resumed = part or SamplePass(range(batch.repeat)), resumed
        self.skipped = 0
        self._ready: deque[Work] = deque()
        self._size = 0
        self._filled = asyncio.Event()
        self._wanted = asyncio.Event()
        client.stop.wakes(self._filled, self._wanted)
        self._ended = False

    async def next(self) -> Work | None:
        """None when there is no more."""
        while not self._ready or self._client.stop.asked:
            self._wanted.set()
            if self._ended or self._client.stop.asked:
                return None
            self._filled.clear()
            await self._filled.wait()
        work = self._ready.popleft()
        self._size -= work.size
        if not self._full():
            self._wanted.set()
        return work

    def _full(self) -> bool:
        return len(self._ready) >= _AHEAD or self._size >= _MOST

    async def fill(self) -> None:
        try:
            model = self._client.model
            work = _work(self._batch, self._store, model, self._part, resumed=self._resumed)
            chunks = _in_chunks(work)
            while chunk := await self._next_of(chunks):
                ours = await self._ours(chunk)
                self._ready += ours
                self._size += sum(work.size for work in ours)
                self._filled.set()
                while self._full() and not self._client.stop.asked:
                    self._wanted.clear()
                    await self._wanted.wait()
                if self._client.stop.asked:
                    return
        finally:
            self._ended = True
            self._filled.set()

    async def _next_of(self, chunks: Iterator[list[Work]]) -> list[Work] | None:
        """Of a run that is continued, the store is asked first, which may have to be waited for."""
        return await asyncio.to_thread(next, chunks, None) if self._resumed else next(chunks, None)

    async def _ours(self, chunk: list[Work]) -> list[Work]:
        """The rows that no other process is working on, their requests looked up and claimed."""
        cache = self._client.cache
        if cache is None:
            await asyncio.sleep(0)  # the workers have a turn
            return chunk
        for work in chunk:
            work.keys = [self._client.key(prompt) for prompt in requests(work.prompts)]
        others = await cache.expect([key for work in chunk for key in work.keys])
        if not others:
            return chunk
        ours = []
        for work in chunk:
            if others.isdisjoint(work.keys):
                ours.append(work)
            else:
                cache.forget(key for key in work.keys if key not in others)
                self.skipped += 1
        return ours


def chunks(
    batch: Batch, store: Store | None, model: Model, *, resumed: bool
) -> Iterator[list[Work]]:
    """Everything that has no answered verdict yet, as many rows at once as are looked up at once.

    `resumed`: some may have one.
    """
    everything = SamplePass(range(batch.repeat))
    return _in_chunks(_work(batch, store, model, everything, resumed=resumed))


def ready_prompts(
    prompts: Sequence[Prompt], key: Callable[[Prompt], str], kept: Mapping[str, KeptReply]
) -> Sequence[Prompt]:
    """What can be asked about an item now: its prompts, or what comes before them as long as no
    reply to that is kept."""
    if prompts[0].first is None:
        return requests(prompts)
    (before,) = requests(prompts)
    reply = kept.get(key(before))
    return [before] if reply is None else [committed(p, reply.reply.text) for p in prompts]


def _in_chunks(rows: Iterator[Work]) -> Iterator[list[Work]]:
    chunk: list[Work] = []
    size = 0
    for work in rows:
        chunk.append(work)
        size += work.size
        if len(chunk) >= _CHUNK or size >= _MOST:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _work(
    batch: Batch, store: Store | None, model: Model, one_pass: SamplePass, *, resumed: bool
) -> Iterator[Work]:
    """One judge after the other, so that a model's cached prefix serves all rows of a judge."""
    can = model.capabilities
    for judge in batch.judges:
        renderer = renderer_for(judge, store.secret if store else b"", can.profile)
        fitter = Fitter(renderer, can, batch.sampling.max_tokens) if batch.shorten else None
        for repeat in one_pass.samples:
            rows = _rows(batch, judge, one_pass)
            if store and resumed:
                key = (judge.name, model.name, repeat)
                rows = _unanswered(rows, store, batch.run.id, key)
            if isinstance(renderer, LikelihoodRenderer):
                rows = _by_source(rows, renderer)
            for position, item in rows:
                if fitter:
                    fitted = fitter.fit(item, repeat)
                else:
                    fitted = Fitted(renderer.prompts(item, repeat))
                messages = chain.from_iterable(prompt.messages for prompt in fitted.prompts)
                size = sum(len(message.content) for message in messages)
                yield Work(position, item, judge, fitted, size, fitter=fitter)


def _rows(batch: Batch, judge: Judge, one_pass: SamplePass) -> Iterator[tuple[int, Item]]:
    rows: Iterator[tuple[int, Item]] = enumerate(batch.items(), batch.first)
    if batch.shard is not None:
        ours = batch.shard.has
        rows = (row for row in rows if ours(row[0]))
    if one_pass.done is None:
        return rows
    done = one_pass.done
    return (row for row in rows if not done(judge.name, row[1].id))


def _by_source(
    rows: Iterator[tuple[int, Item]], renderer: LikelihoodRenderer
) -> Iterator[tuple[int, Item]]:
    """The rows of one source one after the other, in the order in which the sources come.

    A model that has read a source then knows it for all of them, also in data that is sorted by
    system. Of data that is larger than what is gathered at once, this holds for each part.
    """
    groups: dict[tuple[str, ...], list[tuple[int, Item]]] = {}
    size = 0
    for row in rows:
        groups.setdefault(renderer.shared(row[1]), []).append(row)
        size += _ROW + _characters(row[1])
        if size >= _GATHERED:
            yield from chain.from_iterable(groups.values())
            groups, size = {}, 0
    yield from chain.from_iterable(groups.values())


def _characters(item: Item) -> int:
    texts = chain(item.fields.values(), item.extra.values())
    return sum(len(text) for text in texts if isinstance(text, str))


def _unanswered(
    rows: Iterator[tuple[int, Item]], store: Store, run: str, key: tuple[str, str, int]
) -> Iterator[tuple[int, Item]]:
    while some := list(islice(rows, _CHUNK)):
        ids = [item.id for _, item in some]
        done = store.steadily(partial(store.verdicts.answered, run, key, ids))
        yield from (row for row in some if row[1].id not in done)
