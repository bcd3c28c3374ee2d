"""A job that this service has in hand: it waits for its turn, or is under way in its thread."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field

from adjudge.running.asking.stop import Stop
from adjudge.stores.records import KeptJob


@dataclass(slots=True)
class Carried:
    """Its methods may be called from any thread. `asked_to_stop` is a user's wish and for good,
    `ending` only means that the service ends; whoever changes them, or acts on them, has `lock`."""

    job: KeptJob
    lock: threading.Lock = field(default_factory=threading.Lock)
    asked_to_stop: bool = False
    ending: bool = False
    under_way: bool = False
    over: bool = False
    _stop: Stop | None = None
    _task: asyncio.Task[None] | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    @property
    def unwanted(self) -> bool:
        return self.asked_to_stop or self.ending

    def begin(self) -> Stop:
        """In the loop of its thread; from here on it can be asked to drain, and be cancelled."""
        with self.lock:
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            self._stop, self.under_way = Stop(), True
            if self.unwanted:
                self._stop.ask()
            return self._stop

    def drain(self) -> None:
        """Replies under way are waited for, and no more are asked for; `lock` is held."""
        if self._loop is not None and self._stop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.ask)

    def end(self, *, at_once: bool = False) -> None:
        """The service ends: the job drains or is cancelled, and stays open in the store."""
        with self.lock:
            self.ending = True
            if not at_once:
                self.drain()
            elif self._loop is not None and self._task is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._task.cancel)
