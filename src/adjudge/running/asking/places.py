"""Places for requests to one model, which runs in several threads can share."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, deque
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class _Turn:
    """Somebody who waits; `given` is set under the lock, `woken` in the loop of whoever waits."""

    given: bool = False
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class Places:
    """At most `most` requests at once, whatever loops they come from.

    Whoever has the fewest under way is next, so that a single question does not wait for all that a
    run has to ask; among equals each in turn.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._free = most
        self._held: Counter[object] = Counter()
        self._waiting: dict[object, deque[_Turn]] = {}

    async def take(self, who: object) -> None:
        """Waits for a place; `give_back` is to follow."""
        with self._lock:
            if self._free:  # then nobody waits
                self._free -= 1
                self._held[who] += 1
                return
            turn = _Turn()
            self._waiting.setdefault(who, deque()).append(turn)
        try:
            await turn.woken.wait()
        except BaseException:
            self._leave(who, turn)
            raise

    def give_back(self, who: object) -> None:
        with self._lock:
            self._hand_on(who)

    def _leave(self, who: object, turn: _Turn) -> None:
        with self._lock:
            if turn.given:
                self._hand_on(who)  # it came too late
                return
            self._waiting[who].remove(turn)
            if not self._waiting[who]:
                del self._waiting[who]

    def _hand_on(self, who: object) -> None:
        """The lock is held, so that the loop of whoever is next cannot be closed meanwhile."""
        self._held[who] -= 1
        if not self._held[who]:
            del self._held[who]
        if not self._waiting:
            self._free += 1
            return
        next_one = min(self._waiting, key=lambda each: self._held[each])
        turns = self._waiting.pop(next_one)
        turn = turns.popleft()
        if turns:
            self._waiting[next_one] = turns  # behind the others now
        self._held[next_one] += 1
        turn.given = True
        turn.loop.call_soon_threadsafe(turn.woken.set)
