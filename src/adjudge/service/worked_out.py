"""What takes seconds of a large run is worked out in a thread, once, while pages go on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from time import monotonic
from typing import Generic, TypeVar

from adjudge.errors import DataError, UsageError

PATIENCE = 5.0  # seconds after which a page says that it takes longer
LARGE, _AT_ONCE = 10_000, 0.2  # items from which a page does not wait for its figures, but so long
AGAIN = 1  # seconds after which the browser asks again

T = TypeVar("T")


class WorkedOut(Generic[T]):
    """The answers that were asked for last, at most so many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[object, Future[T]] = OrderedDict()
        self._lock = Lock()
        self.turn = Lock()  # one at a time: each holds the items of whole runs

    def of(self, key: object, work: Callable[[], T]) -> Future[T]:
        """Holds what `work` gives as soon as it is there, or the error that says why not."""
        with self._lock:
            found = self._made.get(key)
            if found is not None and not _lasting(found):
                return self._made.pop(key)  # told once; whoever asks then has it tried again
            if found is None:
                found = self._made[key] = Future()
                # Dies with the process: nothing is lost by it.
                Thread(target=self._work, args=(found, work), daemon=True).start()
                if len(self._made) > self._most:
                    self._made.popitem(last=False)
            self._made.move_to_end(key)
            return found

    def _work(self, made: Future[T], work: Callable[[], T]) -> None:
        with self.turn:
            try:
                made.set_result(work())
            except BaseException as error:
                made.set_exception(error)


def soon(found: Future[T], since: float, items: int) -> T | None:
    """What it holds about so many items; None where that is not there in time for a page that was
    asked for at `since`, by the monotonic clock."""
    until = since + (_AT_ONCE if items > LARGE else PATIENCE)
    wait([found], max(0.0, until - monotonic()))
    return found.result() if found.done() else None


def _lasting(made: Future[T]) -> bool:
    """A store that could not be read may be readable the next time."""
    error = made.exception() if made.done() else None
    return error is None or isinstance(error, UsageError | DataError)
