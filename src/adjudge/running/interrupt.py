"""Signals to stop: the first one lets the requests under way end, the second one stops at once."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .asking.stop import Stop

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

    usual = {each: signal.getsignal(each) for each in SIGNALS}
    ours = [each for each, handler in usual.items() if _is_default(handler)]
    for each in ours:
        signal.signal(each, interrupted)
    try:
        yield
    finally:
        for each in ours:
            signal.signal(each, usual[each])


def _is_default(handler: object) -> bool:
    """Whether it is nobody's own: the system's, Python's, or the one that asyncio.run sets."""
    owner = getattr(getattr(handler, "func", None), "__self__", None)
    usual = (signal.SIG_DFL, signal.default_int_handler)
    return handler in usual or isinstance(owner, asyncio.Runner)
