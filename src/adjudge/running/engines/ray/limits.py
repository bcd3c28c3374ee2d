"""The limits of one worker, which are its share of those of the cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic

from ...asking.limits import Limits, Throttle
from ...asking.stop import Stop
from .sharing import AskedModel, ModelBounds

Turns = Callable[[Sequence[int]], Awaitable[Sequence[float]]]


class SharedThrottle(Throttle):
    """Notes what the server says instead of following it: the cluster does that for all."""

    def __init__(self, most: int, urgent: Callable[[], None]) -> None:
        super().__init__(most, monotonic)
        self.asked = AskedModel()
        self._urgent = urgent

    def answered(self, pause: float | None = None) -> None:
        self.asked.answered += 1
        if pause:
            self.asked.pause = max(self.asked.pause, pause)
            self._urgent()

    def refused(self, entered: float, retry_after: float | None) -> None:
        self.asked.refused.append((monotonic() - entered, retry_after))
        self._urgent()

    def obey(self, at_once: float, pause: float) -> None:
        self.at_once = max(1.0, at_once)
        if pause:
            self._pause(pause)


class SharedLimits(Limits):
    """`turns` asks the cluster when requests may go out; `urgent` has the worker report at once."""

    def __init__(
        self, bounds: ModelBounds, stop: Stop, turns: Turns, urgent: Callable[[], None]
    ) -> None:
        super().__init__(bounds.most, stop)
        self.throttle: SharedThrottle = SharedThrottle(bounds.most, urgent)
        self.counts_tokens = bounds.tokens_a_minute is not None
        self._has_rates = self.counts_tokens or bounds.requests_a_minute is not None
        self._turns = turns
        self._asking: list[tuple[int, asyncio.Future[float]]] = []
        self._caller: asyncio.Task[None] | None = None

    def taken(self) -> AskedModel:
        """What became of requests since this was asked last."""
        asked, self.throttle.asked = self.throttle.asked, AskedModel()
        return asked

    def obey(self, at_once: float, pause: float) -> None:
        """To be called in the loop of the requests."""
        self.throttle.obey(at_once, pause)
        self._wake()

    def answered(self, *, pause: float | None = None, more_tokens: int = 0) -> None:
        self.throttle.asked.more_tokens += more_tokens
        super().answered(pause=pause)

    async def _go(self, tokens: int) -> float:
        self.stop.check()
        if self._has_rates and (wait := await self._turn(tokens)):
            await self.stop.sleep(wait)
        return await super()._go(tokens)

    async def _turn(self, tokens: int) -> float:
        """All that wait are asked for together, while the answer for others is under way."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[float] = loop.create_future()
        self._asking.append((tokens, turn))
        if self._caller is None:
            self._caller = loop.create_task(self._ask_on())
        return await turn

    async def _ask_on(self) -> None:
        some: list[tuple[int, asyncio.Future[float]]] = []
        try:
            while self._asking:
                some, self._asking = self._asking, []
                waits = await self._turns([tokens for tokens, _ in some])
                for (_, turn), wait in zip(some, waits, strict=True):
                    if not turn.done():
                        turn.set_result(wait)
        except Exception as error:  # of whatever kind: those who wait must hear of it
            for _, turn in [*some, *self._asking]:
                if not turn.done():
                    turn.set_exception(error)
            self._asking = []
        finally:
            self._caller = None
