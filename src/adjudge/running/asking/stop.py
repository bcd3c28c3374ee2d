"""The wish to stop: no new request begins, those under way end by themselves."""

from __future__ import annotations

import asyncio


class Draining(Exception):  # noqa: N818 - no error: the user wished it
    """A request was not made since the run is about to stop. What was answered is kept."""


class Stop:
    """Set once, by a first Ctrl-C; whoever is about to ask or to wait looks here."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self._wakes: list[asyncio.Event] = []

    @property
    def asked(self) -> bool:
        return self._asked.is_set()

    def ask(self) -> None:
        self._asked.set()
        for event in self._wakes:
            event.set()

    def wakes(self, *events: asyncio.Event) -> None:
        """Whoever waits for one of these hears of the wish, too."""
        self._wakes += events

    def check(self) -> None:
        if self._asked.is_set():
            raise Draining

    async def sleep(self, seconds: float) -> None:
        """Waits, but not beyond a wish to stop; then raises Draining."""
        try:
            await asyncio.wait_for(self._asked.wait(), seconds)
        except TimeoutError:
            return
        raise Draining
