"""Memory for answers: one bound for all that are under way, whichever server sends them."""

from __future__ import annotations

import threading
from collections.abc import Callable

ALL = 64 * 2**20  # bytes of large answers; beyond them one goes on coming in, and others wait
SMALL = 2**16  # bytes of an answer that are not counted: hardly any reply has more


class AnswerMemory:
    """Counts what large answers hold. Above `ALL` those that are read wait, but for the oldest.

    The oldest one ends: it is whole, or too large, or late. So nothing waits for ever, and all
    together hold at most `ALL` and one more answer. May be used from several loops at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[object, int] = {}  # the oldest first
        self._waiting: dict[object, Callable[[], object]] = {}
        self.used = 0

    def add(self, who: object, size: int, go_on: Callable[[], object]) -> bool:
        """Counts so many bytes more; when False, reading has to wait until `go_on` is called.

        That may happen in any thread.
        """
        with self._lock:
            self._held[who] = self._held.get(who, 0) + size
            self.used += size
            if self.used <= ALL or who is next(iter(self._held)):
                return True
            self._waiting[who] = go_on
            return False

    def give_back(self, who: object) -> None:
        """All that this one holds; nothing where it holds none."""
        with self._lock:
            self.used -= self._held.pop(who, 0)
            self._waiting.pop(who, None)
            free = list(self._waiting) if self.used <= ALL else list(self._held)[:1]
            going = [self._waiting.pop(each) for each in free if each in self._waiting]
        for go_on in going:
            go_on()


ANSWERS = AnswerMemory()
