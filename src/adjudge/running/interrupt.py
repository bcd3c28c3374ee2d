"""Ctrl-C: the first one lets the requests under way end, the second one stops at once."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .asking.stop import Stop


@contextmanager
def drained_by_ctrl_c(stop: Stop, tell: Callable[[], None]) -> Iterator[None]:
    """While inside, a first Ctrl-C asks `stop`, and a second one cancels the task.

    Elsewhere than in the main thread, and where a program handles Ctrl-C itself, nothing changes.
    """
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    usual = signal.getsignal(signal.SIGINT)
    ours = threading.current_thread() is threading.main_thread() and task is not None
    if not ours or usual not in (signal.default_int_handler, _asyncio_handler(usual)):
        yield
        return

    pressed = 0

    def interrupted(*_: object) -> None:
        # Counted here: the loop may be too busy to have heard of the first one yet.
        nonlocal pressed
        pressed += 1
        if pressed > 1 and task is not None:
            loop.call_soon_threadsafe(task.cancel)
        else:
            loop.call_soon_threadsafe(stop.ask)
            loop.call_soon_threadsafe(tell)

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def _asyncio_handler(handler: object) -> object:
    """The handler itself when it is the one that asyncio.run sets, else None."""
    owner = getattr(getattr(handler, "func", None), "__self__", None)
    return handler if isinstance(owner, asyncio.Runner) else None
