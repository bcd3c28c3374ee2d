"""A worker: an actor with models, limits and a store of its own, that judges block after block."""

from __future__ import annotations

import asyncio
import os
import pickle
import secrets
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from adjudge.core.item import Item
from adjudge.core.score import SETTLED
from adjudge.core.verdict import Verdict
from adjudge.errors import AdjudgeError
from adjudge.models import Model, open_model
from adjudge.stores import Cost, Granted, Store, open_store
from adjudge.stores.block import Block
from adjudge.stores.verdict_files import VerdictFiles

from ...asking.limits import Host
from ...asking.stop import Draining, Stop
from ...batch import run_batch
from ...options import RunOptions
from ...plan import Batch
from .cluster import pickled, ray, settle_in
from .limits import SharedLimits
from .sharing import REPORT, ModelBounds, Orders, Report


class Rows(NamedTuple):
    """A block of rows; `first` is the position of the first one, and the number of the block."""

    first: int
    items: Sequence[Item]


class JudgedBlock(NamedTuple):
    """What became of a block. `failure` stops the run; `complete`: nothing is left to do of it."""

    first: int
    complete: bool = False
    used_up: bool = False
    failure: AdjudgeError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """All that a worker must know, wherever it is. `batch` is without items and models. `files` is
    there, with the `numbers` of their store, where there is no database. `variables` are those of
    the environment that hold keys, and `folder` is where relative paths begin."""

    batch: Batch
    models: tuple[str, ...]
    bounds: Mapping[str, ModelBounds]
    options: RunOptions
    workers: int
    files: VerdictFiles | None = None
    numbers: Mapping[str, str] = field(default_factory=dict, repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: str = ""


class RemotePurse:
    """The purse of the cluster, as one worker sees it; what it spends is reported later."""

    def __init__(self, shared: Any, worker: str) -> None:
        self._shared, self._worker = shared, worker
        self._spent = self._unreserved = Cost()
        self._lock = threading.Lock()

    def spend(self, cost: Cost) -> None:
        with self._lock:
            self._spent = self._spent.plus(cost)

    def reduce(self, cost: Cost) -> None:
        with self._lock:
            self._unreserved = self._unreserved.plus(cost)

    def reserve(self, need: Cost, ahead: Cost, *, tokens: int | None, usd: float | None) -> Granted:
        self.tell()
        wish = self._shared.reserve.remote(self._worker, need, ahead, tokens, usd)
        granted: Granted = ray().get(wish)
        return granted

    def release(self) -> None:
        self.tell()
        self._shared.release.remote(self._worker)

    def tell(self) -> None:
        with self._lock:
            news, self._spent, self._unreserved = (self._spent, self._unreserved), Cost(), Cost()
        if any(map(any, news)):
            self._shared.spend.remote(self._worker, *news)


class Worker:
    """Called with a table of one block; what it returns, a `JudgedBlock`, goes to the driver."""

    def __init__(self, job: Job, shared: Any) -> None:
        _settle_in(job)
        self._job, self._shared = job, shared
        self._name = secrets.token_hex(6)
        self._runner = asyncio.Runner()
        self._purse = RemotePurse(shared, self._name)
        self._models: list[Model] = []
        self._limits: dict[str, SharedLimits] = {}
        self._store: Store | None = None
        self._news, self._busy, self._lock = Report(), False, threading.Lock()
        self._urgent = threading.Event()
        self._runner.run(self._open())
        threading.Thread(target=self._report_on, name="adjudge-report", daemon=True).start()

    async def _open(self) -> None:
        """What belongs to the loop, which is one and the same for all blocks."""
        job = self._job
        self._stop = Stop()
        self._models = [open_model(name, job.options.model_options) for name in job.models]
        for name, bounds in job.bounds.items():
            self._limits[name] = SharedLimits(
                bounds, self._stop, _Turns(self._shared, name), self._urgent.set
            )
        if job.files is None:
            self._store = await asyncio.to_thread(open_store, job.options.store)

    def __call__(self, table: Any) -> Any:
        (content,) = table["content"].to_pylist()
        rows = pickle.loads(content)  # noqa: S301 - from our own readers
        if isinstance(rows, AdjudgeError):
            return pickled(JudgedBlock(-1, failure=rows))
        self._busy = True
        try:
            return pickled(self._runner.run(self._judged(rows)))
        finally:
            self._busy = False
            self._urgent.set()

    async def _judged(self, rows: Rows) -> JudgedBlock:
        try:
            return await self._judge(rows)
        except Draining:
            return JudgedBlock(rows.first)
        except AdjudgeError as error:
            return JudgedBlock(rows.first, failure=error)

    async def _judge(self, rows: Rows) -> JudgedBlock:
        job, block, store = self._job, None, self._store
        share = -(-job.batch.run.rows // job.workers)
        batch = replace(
            job.batch,
            items=lambda: iter(rows.items),
            first=rows.first,
            models=tuple(self._models),
            run=replace(job.batch.run, rows=share),
        )
        if job.files is not None:
            lag = max(1, round(batch.verdicts * Block.lag))
            block = Block(job.files, rows.first, lag, self._purse)
            store = block.store(job.numbers)
        if store is None:
            raise AssertionError("there is a database, or there are files")
        host = Host(self._stop, limits=self._limits)
        # Another worker may have begun with the block before it died.
        ledger = await run_batch(
            batch, store, host, resumed=True, tell=self._tell, say=lambda _: None
        )
        if block is not None:
            await asyncio.to_thread(block.close)
        return JudgedBlock(rows.first, complete=True, used_up=ledger.used_up)

    def _tell(self, verdict: Verdict) -> None:
        with self._lock:
            self._news.verdicts += 1
            self._news.unscored += verdict.outcome not in SETTLED
            self._news.usage += verdict.usage

    def _report_on(self) -> None:
        loop = self._runner.get_loop()
        with suppress(
            ray().exceptions.RayError
        ):  # without the driver, this one is about to end too
            while True:
                self._urgent.wait(REPORT)
                self._urgent.clear()
                with self._lock:
                    news, self._news = self._news, Report()
                news.is_busy = self._busy
                news.asked = {name: limits.taken() for name, limits in self._limits.items()}
                self._purse.tell()
                orders: Orders = ray().get(self._shared.report.remote(self._name, news))
                loop.call_soon_threadsafe(self._obey, orders)

    def _obey(self, orders: Orders) -> None:
        if orders.stop and not self._stop.asked:
            self._stop.ask()
        for name, share in orders.models.items():
            self._limits[name].obey(*share)


class _Turns:
    def __init__(self, shared: Any, model: str) -> None:
        self._shared, self._model = shared, model

    async def __call__(self, tokens: Sequence[int]) -> Sequence[float]:
        waits: Sequence[float] = await self._shared.turns.remote(self._model, tokens)
        return waits


def _settle_in(job: Job) -> None:
    sys.setswitchinterval(0.001)  # as in `adjudge run`
    settle_in(job.variables)
    with suppress(OSError):
        os.chdir(job.folder)
