"""Writes verdicts as they come, those that come together in one commit."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from adjudge.stores.base import Entry, Store


class Recorder:
    """Used as a context: leaving it, for whatever reason, writes what is still there."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store, self._run_id = store, run_id
        self._waiting: list[Entry] = []
        self._writing = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        async with self._writing:
            self._store.put(self._run_id, self._waiting)
            self._waiting = []

    async def add(self, entry: Entry) -> None:
        """Returns when the entry is kept for good. While one commit runs, the next one gathers."""
        self._waiting.append(entry)
        async with self._writing:
            if any(each is entry for each in self._waiting):
                await self._write()

    async def _write(self) -> None:
        entries = tuple(self._waiting)
        writing = asyncio.ensure_future(asyncio.to_thread(self._store.put, self._run_id, entries))
        try:
            # Shielded: a Ctrl-C must not leave it open whether a batch was written.
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            await writing
            raise
        finally:
            # What could not be written stays, for a last try when the run ends.
            if writing.done() and not writing.cancelled() and writing.exception() is None:
                del self._waiting[: len(entries)]
