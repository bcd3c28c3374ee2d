"""Who judges the rows of a run: this process, or the workers of a cluster.

Both check the same rows in the same order, and both call `run_batch`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple, Protocol

from adjudge.core.judge import Input
from adjudge.core.reason import Reason
from adjudge.core.reply import NO_USAGE, Usage
from adjudge.core.verdict import Verdict
from adjudge.datasets import CheckedData, Data, scan
from adjudge.errors import UsageError
from adjudge.stores import Store, open_store

from ..asking.limits import Host
from ..batch import run_batch
from ..options import RunOptions
from ..plan import ModelLike, Planned


class Progress(NamedTuple):
    """How far workers elsewhere are with what is new."""

    verdicts: int = 0
    unscored: int = 0
    usage: Usage = NO_USAGE
    workers: int = 0


class Audience(Protocol):
    """Hears of every verdict, or of how many there are, once they are kept."""

    def verdict(self, verdict: Verdict) -> None: ...
    def counted(self, progress: Progress) -> None: ...
    def note(self, text: str) -> None: ...


class RunEngine(Protocol):
    """`scan` checks the data, `judge` makes all verdicts that are not there yet and says whether
    the budget was used up. `workers` have so many requests in flight each as one process has."""

    @property
    def workers(self) -> int: ...

    def scan(
        self,
        data: str | Data,
        judges_inputs: Sequence[Mapping[str, Input]],
        mapping: Mapping[str, str],
        limit: int | None,
        skip_bad: bool,
    ) -> CheckedData: ...

    def open_store(self, url: str) -> Store: ...

    async def judge(
        self, planned: Planned, store: Store, host: Host, audience: Audience, *, resumed: bool
    ) -> bool: ...


class LocalEngine:
    """This process."""

    workers = 1
    scan = staticmethod(scan)
    open_store = staticmethod(open_store)

    async def judge(
        self, planned: Planned, store: Store, host: Host, audience: Audience, *, resumed: bool
    ) -> bool:
        tell, say = audience.verdict, audience.note
        ledger = await run_batch(planned.batch, store, host, resumed=resumed, tell=tell, say=say)
        return ledger.used_up


@asynccontextmanager
async def opened_engine(
    options: RunOptions, data: str | Data, models: Sequence[ModelLike]
) -> AsyncIterator[RunEngine]:
    """The engine that the options name. UsageError where other machines would need what only this
    process has: rows in its memory, a function."""
    if options.engine == "local":
        yield LocalEngine()
        return
    names = [model for model in models if isinstance(model, str)]
    if isinstance(data, Data):
        raise UsageError(Reason("memory.elsewhere", kind=data.name))
    if len(names) < len(models):
        raise UsageError(Reason("model.elsewhere"))
    from .ray.cluster import connect, disconnect  # noqa: PLC0415 - an extra, and slow to load

    joined = await asyncio.to_thread(connect, options.ray_address)
    try:
        from .ray.engine import RayEngine  # noqa: PLC0415

        yield RayEngine(options, names)
    finally:
        if not joined:
            await asyncio.to_thread(disconnect)
