"""Collects verdicts and writes them together: one commit for many rows."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from adjudge.stores.base import Entry, Store

_MOST = 200  # verdicts in one commit
_LONGEST = 0.5  # seconds that a verdict may wait for its commit


class Recorder:
    """Used as a context: leaving it, for whatever reason, writes what is still there."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store, self._run_id = store, run_id
        self._waiting: list[Entry] = []
        self._writing = asyncio.Lock()
        self._timer: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._timer = asyncio.create_task(self._regularly())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer:
            self._timer.cancel()
            await asyncio.gather(self._timer, return_exceptions=True)
        self._store.put(self._run_id, self._waiting)
        self._waiting = []

    async def add(self, entry: Entry) -> None:
        self._waiting.append(entry)
        if self._timer and self._timer.done():
            self._timer.result()  # the store failed: say so now
        if len(self._waiting) >= _MOST:
            await self._write()

    async def _regularly(self) -> None:
        while True:
            await asyncio.sleep(_LONGEST)
            await self._write()

    async def _write(self) -> None:
        async with self._writing:
            entries, self._waiting = self._waiting, []
            writing = asyncio.ensure_future(
                asyncio.to_thread(self._store.put, self._run_id, entries)
            )
            try:
                # Shielded: a Ctrl-C must not leave a batch half written and half forgotten.
                await asyncio.shield(writing)
            except asyncio.CancelledError:
                await writing
                raise
