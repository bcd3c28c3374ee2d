"""How many requests may be under way, and how many per minute."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

from adjudge.errors import ProviderError

from .stop import Stop

_OVERLOAD = frozenset({429, 503, 529})
_IN_A_ROW = 2  # refusals without an answer between them: no accident, it is too much
_BURST = 1 / 6  # of what a minute allows may go out at once


class Limits:
    """Bounds the requests to one model; `enter` before each, then `answered` or `failed`.

    The number at once follows the server: halved when it says that it is too much, one more for
    each round of answers, never above `most`. A server that names a time for coming back, and means
    everybody, is left alone until then. `slots` may be shared with others who ask the same model;
    each of them follows the server by itself.
    """

    def __init__(
        self,
        most: int,
        stop: Stop,
        *,
        requests_a_minute: int | None = None,
        tokens_a_minute: int | None = None,
        slots: SharedSlots | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.most, self.stop = most, stop
        self.slots = slots or SharedSlots(most)
        self.under_way = 0
        self.throttle = Throttle(most, clock)
        self._clock = clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._requests = Rate(requests_a_minute, clock) if requests_a_minute else None
        self._tokens = Rate(tokens_a_minute, clock) if tokens_a_minute else None
        self.counts_tokens = self._tokens is not None

    @property
    def at_once(self) -> float:
        """How many may be under way just now."""
        return self.throttle.at_once

    async def enter(self, tokens: int = 0) -> float:
        """Waits for a slot; returns the time, for `failed`. Raises Draining at the end."""
        while self.under_way >= int(self.at_once):
            await self._place()
        self.under_way += 1
        try:
            while wait := await self._go(tokens):
                await self.stop.sleep(wait)
        except BaseException:
            self._leave()
            raise
        return self._clock()

    async def _go(self, tokens: int) -> float:
        """0 with one of the shared slots; else seconds to wait, while others may have that."""
        self.stop.check()
        await self.slots.take(self)
        wait = 0.0 if self.stop.asked else self._wait(tokens)
        if wait or self.stop.asked:
            self.slots.give_back(self)
        self.stop.check()
        return wait

    def answered(self, *, pause: float | None = None, more_tokens: int = 0) -> None:
        """`more_tokens`: how many more (or fewer) it took than `enter` was given."""
        self.throttle.answered(pause)
        if self._tokens and more_tokens:
            self._tokens.owe(more_tokens)
        self._done()

    def failed(self, error: BaseException, entered: float) -> None:
        if is_overload(error):
            self.throttle.refused(entered, getattr(error, "retry_after", None))
        self._done()

    def _wait(self, tokens: int) -> float:
        """Seconds until a request of so many tokens may go out; when 0, it is counted."""
        pause = self.throttle.pause()
        if pause > 0:
            return pause
        if not (self._requests or self._tokens):
            return 0.0
        rates = [(rate, n) for rate, n in ((self._requests, 1), (self._tokens, tokens)) if rate]
        wait = max(rate.wait(n) for rate, n in rates)
        if not wait:
            for rate, n in rates:
                rate.take(n)
        return wait

    async def _place(self) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self._wake()  # the slot that was ours is the next one's
            raise

    def _done(self) -> None:
        self.slots.give_back(self)
        self._leave()

    def _leave(self) -> None:
        self.under_way -= 1
        self._wake()

    def _wake(self) -> None:
        free = int(self.at_once) - self.under_way
        while self._waiting and free > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1


def is_overload(error: BaseException) -> bool:
    """Whether the server says that it is asked too much."""
    return isinstance(error, ProviderError) and error.status in _OVERLOAD


class Throttle:
    """How many requests at once a server takes, between `least` and `most`."""

    def __init__(self, most: int, clock: Callable[[], float], least: int = 1) -> None:
        self.at_once, self.most, self.least = float(most), most, least
        self._clock = clock
        self._halved_at = self._paused_until = -1.0
        self._refusals = 0

    def answered(self, pause: float | None = None) -> None:
        self._refusals = 0
        if self.at_once < self.most:
            self.at_once = min(self.most, self.at_once + 1 / self.at_once)
        if pause:
            self._pause(pause)

    def refused(self, entered: float, retry_after: float | None) -> None:
        """A request that entered then was too much."""
        self._refusals += 1
        if self._refusals < _IN_A_ROW:
            return
        # Those that were under way before the last cut say nothing about the new number.
        if entered > self._halved_at:
            self.at_once = max(float(self.least), self.at_once / 2)
            self._halved_at = self._clock()
        if retry_after:
            self._pause(retry_after)

    def pause(self) -> float:
        """Seconds that the server wants to be left alone."""
        return max(0.0, self._paused_until - self._clock())

    def _pause(self, seconds: float) -> None:
        self._paused_until = max(self._paused_until, self._clock() + min(seconds, 60.0))


class Rate:
    """So many per minute; a part of that may be saved up. Debts are paid first."""

    def __init__(self, a_minute: int, clock: Callable[[], float]) -> None:
        self._a_minute, self._a_second = a_minute, a_minute / 60
        self._most = self._there = max(1.0, a_minute * _BURST)
        self._clock, self._seen = clock, clock()

    def wait(self, n: int) -> float:
        """What is more than can be saved up goes out when all is there, and leaves a debt."""
        now = self._clock()
        self._there = min(self._most, self._there + (now - self._seen) * self._a_second)
        self._seen = now
        missing = min(n, self._most) - self._there
        return max(0.0, missing / self._a_second)

    def take(self, n: int) -> None:
        self._there -= n

    def owe(self, n: int) -> None:
        """What it took beyond the estimate; at most what one minute allows."""
        self._there -= min(n, self._a_minute)


@dataclass(slots=True, eq=False)
class _Turn:
    """One that waits; `has_slot` is set under the lock, `woken` in the loop that waits."""

    has_slot: bool = False
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class SharedSlots:
    """At most `most` requests at once, whatever loops they come from.

    The one with the fewest under way is next, so that a single question does not wait for all that
    a run has to ask; among equals each in turn.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._free = most
        self._held: Counter[object] = Counter()
        self._waiting: dict[object, deque[_Turn]] = {}

    async def take(self, who: object) -> None:
        """Waits for a slot; `give_back` is to follow."""
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
            if turn.has_slot:
                self._hand_on(who)  # it came too late
                return
            self._waiting[who].remove(turn)
            if not self._waiting[who]:
                del self._waiting[who]

    def _hand_on(self, who: object) -> None:
        """The lock is held, so that the next one's loop cannot be closed meanwhile."""
        self._held[who] -= 1
        if not self._held[who]:
            del self._held[who]
        if not self._waiting:
            self._free += 1
            return
        next_one = min(self._waiting, key=lambda waiting: self._held[waiting])
        turns = self._waiting.pop(next_one)
        turn = turns.popleft()
        if turns:
            self._waiting[next_one] = turns  # behind the others now
        self._held[next_one] += 1
        turn.has_slot = True
        turn.loop.call_soon_threadsafe(turn.woken.set)


@dataclass(frozen=True, slots=True)
class Host:
    """What a program brings that has other work beside the run: how it is stopped, and, by the
    names of models, the slots that all of its work shares, or all that bounds it."""

    stop: Stop
    slots: Mapping[str, SharedSlots] = field(default_factory=dict)
    limits: Mapping[str, Limits] = field(default_factory=dict)
