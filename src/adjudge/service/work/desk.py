"""Items that are judged at once: models stay open and judges ready from one request to the next."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import orjson

from adjudge.core.judge import Judge
from adjudge.core.verdict import Verdict
from adjudge.datasets.items import SingleItems
from adjudge.errors import DefinitionError, UnknownName
from adjudge.judges import trial
from adjudge.models.base import Model
from adjudge.models.registry import open_model
from adjudge.running.asking.limits import Limits
from adjudge.running.asking.places import Places
from adjudge.running.at_once import AtOnce, limits_of
from adjudge.running.options import RunOptions
from adjudge.running.plan import check_method, overridden
from adjudge.service.offered import OfferedJudges
from adjudge.service.options import ServeOptions

from .definitions import Definition, read_definition

_THREADS = 4
_READY = 128  # judges with their options that are kept ready


_Key = tuple[str | Definition, str, bytes]  # judge, model, options


@dataclass(frozen=True, slots=True)
class _Ready:
    asking: AtOnce
    items: SingleItems


class Desk:
    """`told` hears of every verdict. A model is opened when it is first asked for."""

    def __init__(
        self,
        options: ServeOptions,
        judges: OfferedJudges,
        secret: bytes,
        told: Callable[[Verdict], None],
    ) -> None:
        self._options, self._judges, self._secret = options, judges, secret
        self._told = told
        self._opened: dict[str, tuple[Model, Limits]] = {}
        self._opening = threading.Lock()
        # Of each open model by its own name, for runs, too: -j is for all requests to it.
        self.places: dict[str, Places] = {}
        self._ready: OrderedDict[_Key, _Ready] = OrderedDict()
        self._making: dict[_Key, asyncio.Future[_Ready]] = {}
        # Of its own: tokens are looked up in asyncio's threads, and must not wait for definitions.
        self._threads = ThreadPoolExecutor(_THREADS, "adjudge-desk")

    @property
    def models(self) -> tuple[str, ...]:
        """Those that may be named; the first one is asked where none is."""
        return self._options.models

    async def judge(
        self,
        judge: str | Definition,
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
        if ready is None:
            ready = await self._first(key, judge, name, options or {})
        self._ready.move_to_end(key)
        verdict = await ready.asking.judge(ready.items.item(item))
        self._told(verdict)
        return verdict

    async def _first(
        self,
        key: _Key,
        judge: str | Definition,
        model: str,
        options: Mapping[str, object],
    ) -> _Ready:
        """Made once, however many requests wait for it; in a thread, since it takes long."""
        if key not in self._making:
            loop = asyncio.get_running_loop()
            self._making[key] = loop.run_in_executor(
                self._threads, self._make_ready, judge, model, options
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
            raise UnknownName(f"The model {name!r} is not offered here. Offered: {known}.")
        with self._opening:
            if name not in self._opened:
                asked = RunOptions(base_url=self._options.base_url, timeout=self._options.timeout)
                model = open_model(name, asked.model_options)
                limits = limits_of(model, self._options.concurrency, self.places.get(model.name))
                self.places[model.name] = limits.places
                self._opened[name] = model, limits
            return self._opened[name]

    def _make_ready(
        self, judge: str | Definition, model: str, options: Mapping[str, object]
    ) -> _Ready:
        opened, limits = self._open(model)
        chosen = RunOptions(**options)  # type: ignore[arg-type]  # checked by the request's model
        check_method([opened], chosen)
        loaded = self.load(judge, chosen)
        asking = AtOnce(loaded, opened, limits, chosen, self._secret)
        return _Ready(asking, SingleItems(loaded.inputs, chosen.map))

    def load(self, judge: str | Definition, options: RunOptions) -> Judge:
        """The judge with what the options change about it."""
        known = read_definition(judge) if isinstance(judge, Definition) else self._judges.get(judge)
        changed = overridden(known, options.changes)
        found = trial.problems(changed) if changed != known else []
        if found:
            key, line, problem = found[0]
            raise DefinitionError(f"{known.name}, {key}, line {line} of the text: {problem}")
        return changed

    async def aclose(self) -> None:
        for model, _ in self._opened.values():
            await model.aclose()
        self._opened.clear()
        self._ready.clear()
