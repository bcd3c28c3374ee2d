"""Judging one item at once: the judges that requests may name, and models that stay open from one
request to the next."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import orjson
from starlette.requests import Request

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.verdict import Verdict
from adjudge.datasets import SingleItems
from adjudge.errors import UnknownName
from adjudge.judges import load_text
from adjudge.models import Model, open_model
from adjudge.running import (
    Limits,
    RunOptions,
    SharedSlots,
    SingleItemJudge,
    changed_judge,
    check_method,
    limits_of,
)

from .judge_catalog import JudgeCatalog
from .options import ServeOptions

INLINE_NAME = "definition"  # what messages call it


class InlineJudge(NamedTuple):
    text: str


@lru_cache(maxsize=32)  # reading one takes tens of milliseconds
def load_inline_judge(definition: InlineJudge) -> Judge:
    """DefinitionError names the line."""
    return load_text(definition.text, INLINE_NAME)


_THREADS = 4
_READY = 128  # judges with their options that are kept ready


_Key = tuple[str | InlineJudge, str, bytes]  # judge, model, options


@dataclass(frozen=True, slots=True)
class _PreparedJudge:
    made_of: Judge
    judge: SingleItemJudge
    items: SingleItems


class JudgingService:
    """`on_verdict` is called with every verdict. A model is opened when it is first asked for."""

    def __init__(
        self,
        options: ServeOptions,
        judges: JudgeCatalog,
        secret: bytes,
        on_verdict: Callable[[Verdict], None],
    ) -> None:
        self.options, self.judges, self._secret = options, judges, secret
        self._on_verdict = on_verdict
        self._opened: dict[str, tuple[Model, Limits]] = {}
        self._opening = threading.Lock()
        # Of each open model by its own name, for runs, too: -j is for all requests to it.
        self.slots: dict[str, SharedSlots] = {}
        self._ready: OrderedDict[_Key, _PreparedJudge] = OrderedDict()
        self._making: dict[_Key, asyncio.Future[_PreparedJudge]] = {}
        # Of its own: tokens are looked up in asyncio's threads, and must not wait for definitions.
        self._threads = ThreadPoolExecutor(_THREADS, "adjudge-judging")

    @property
    def models(self) -> tuple[str, ...]:
        """Those that may be named; the first one is asked where none is."""
        return self.options.models

    async def judge(
        self,
        judge: str | InlineJudge,
        item: Mapping[str, object],
        *,
        model: str | None = None,
        options: Mapping[str, object] | None = None,
    ) -> Verdict:
        """The verdict on an item given as a mapping from input or column names to values.

        `options` are fields of RunOptions. A failure of the model is an outcome in the verdict;
        only what every other item would meet too is raised.
        """
        name = model or self.models[0]
        key = (judge, name, orjson.dumps(options, option=orjson.OPT_SORT_KEYS) if options else b"")
        ready = self._ready.get(key)
        if ready is None or ready.made_of is not self._known(judge):
            ready = await self._prepare(key, judge, name, options or {})
        self._ready.move_to_end(key)
        verdict = await ready.judge.judge(ready.items.item(item))
        self._on_verdict(verdict)
        return verdict

    async def _prepare(
        self, key: _Key, judge: str | InlineJudge, model: str, options: Mapping[str, object]
    ) -> _PreparedJudge:
        """Made once, however many requests wait for it; in a thread, since it takes long."""
        if key not in self._making:
            loop = asyncio.get_running_loop()
            self._making[key] = loop.run_in_executor(
                self._threads, self._prepared, judge, model, options
            )
        try:
            # One that waits may leave; the others still want it.
            ready = await asyncio.shield(self._making[key])
        finally:
            if key in self._making and self._making[key].done():
                del self._making[key]
        self._ready[key] = ready
        while len(self._ready) > _READY:
            self._ready.popitem(last=False)
        return ready

    def open(self, name: str) -> Model:
        """The model, opened once; blocks. UnknownName for one that is not offered."""
        return self._open(name)[0]

    def _open(self, name: str) -> tuple[Model, Limits]:
        if name not in self.models:
            known = ", ".join(self.models)
            raise UnknownName(Reason("form.unknown_model", name=name, known=known))
        with self._opening:
            if name not in self._opened:
                model = open_model(name, self.options.for_runs().model_options)
                limits = limits_of(model, self.options.concurrency, self.slots.get(model.name))
                self.slots[model.name] = limits.slots
                self._opened[name] = model, limits
            return self._opened[name]

    def _prepared(
        self, judge: str | InlineJudge, model: str, options: Mapping[str, object]
    ) -> _PreparedJudge:
        opened, limits = self._open(model)
        chosen = RunOptions(**options)  # type: ignore[arg-type]  # checked by the request's model
        check_method([opened], chosen)
        loaded = self.load(judge, chosen)
        single = SingleItemJudge(loaded, opened, limits, chosen, self._secret)
        return _PreparedJudge(self._known(judge), single, SingleItems(loaded.inputs, chosen.map))

    def load(self, judge: str | InlineJudge, options: RunOptions) -> Judge:
        """The judge with what the options change about it."""
        known = self._known(judge)
        return changed_judge(known.name, known, options.changes)

    def _known(self, judge: str | InlineJudge) -> Judge:
        """The same one each time, until somebody saves another under its name."""
        if isinstance(judge, InlineJudge):
            return load_inline_judge(judge)
        return self.judges.get(judge)

    async def aclose(self) -> None:
        for model, _ in self._opened.values():
            await model.aclose()
        self._opened.clear()
        self._ready.clear()


T = TypeVar("T")
CLIENT_CLOSED = 499  # the status of an answer that nobody reads


async def cancel_on_disconnect(request: Request, work: Coroutine[Any, Any, T]) -> T | None:
    """What comes of it; None where the client has hung up, and the work is cancelled then.

    The body of the request has been read.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        leaving.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
