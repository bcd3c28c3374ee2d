"""Stopping a run: no new request begins, those under way end by themselves.

The first signal asks for that, the second one stops at once.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Draining(Exception):  # noqa: N818 - no error: the user wished it
    """A request was not made since the run is about to stop. What was answered is kept."""


class Stop:
    """Set once, by a first Ctrl-C; checked before each request and each wait."""

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
        """These events are set too when the stop is asked for."""
        self._wakes += events

    def check(self) -> None:
        if self._asked.is_set():
            raise Draining

    async def sleep(self, seconds: float) -> None:
        """Waits; raises Draining as soon as a stop is asked for."""
        try:
            await asyncio.wait_for(self._asked.wait(), seconds)
        except TimeoutError:
            return
        raise Draining


# Ctrl-C, what a scheduler or `kill` sends, and the end of a terminal or connection.
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@contextmanager
def drained_by_signals(stop: Stop, tell: Callable[[], None]) -> Iterator[None]:
    """While inside, a first signal asks `stop`, and a second one cancels the task.

    Elsewhere than in the main thread, and for a signal that a program handles itself or ignores (as
    `nohup` has it ignore the end of the terminal), nothing changes.
    """
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    if threading.current_thread() is not threading.main_thread() or task is None:
        yield
        return

    came = 0

    def interrupted(*_: object) -> None:
        # Counted here: the loop may be too busy to have heard of the first one yet.
        nonlocal came
        came += 1
        if came > 1:
            loop.call_soon_threadsafe(task.cancel)
        else:
            loop.call_soon_threadsafe(stop.ask)
            loop.call_soon_threadsafe(tell)

    usual = {number: signal.getsignal(number) for number in SIGNALS}
    ours = [number for number, handler in usual.items() if _is_default(handler)]
    for number in ours:
        signal.signal(number, interrupted)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, usual[number])


def _is_default(handler: object) -> bool:
    """Whether the handler is a default: the system's, Python's, or that of asyncio.run."""
    owner = getattr(getattr(handler, "func", None), "__self__", None)
    usual = (signal.SIG_DFL, signal.default_int_handler)
    return handler in usual or isinstance(owner, asyncio.Runner)
