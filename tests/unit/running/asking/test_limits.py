from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from adjudge.errors import ProviderError
from adjudge.running.asking.limits import Limits
from adjudge.running.asking.stop import Draining, Stop

BUSY = ProviderError("busy", status=429, retryable=True)


class Clock(Stop):
    """Time that passes only where somebody waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.check()
        self.now += seconds
        await asyncio.sleep(0)


def limits(most: int = 8, **rates: int) -> tuple[Limits, Clock]:
    clock = Clock()
    return Limits(most, clock, clock=clock, **rates), clock


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(5):
            await work()

    asyncio.run(main())


def test_no_more_than_the_most() -> None:
    async def work() -> None:
        bound, _ = limits(3)
        for _ in range(3):
            await bound.enter()
        fourth = asyncio.create_task(bound.enter())
        await asyncio.sleep(0.01)
        assert not fourth.done()
        bound.answered()
        await fourth
        assert bound.under_way == 3

    run(work)


def test_a_place_of_somebody_who_left_the_queue_is_not_lost() -> None:
    async def work() -> None:
        bound, _ = limits(1)
        await bound.enter()
        second, third = (asyncio.create_task(bound.enter()) for _ in range(2))
        await asyncio.sleep(0.01)
        bound.answered()
        second.cancel()
        await third

    run(work)


def test_halved_when_it_is_too_much_and_then_one_more_a_round() -> None:
    async def work() -> None:
        bound, clock = limits(16)
        entered = [await bound.enter() for _ in range(16)]
        clock.now += 1
        for at in entered:  # all of one round: they say the same thing once
            bound.failed(BUSY, at)
        assert bound.at_once == 8
        clock.now += 1
        bound.failed(BUSY, await bound.enter())
        assert bound.at_once == 4
        for _ in range(4):
            await bound.enter()
            bound.answered()
        assert 4.8 < bound.at_once <= 5
        for _ in range(400):
            await bound.enter()
            bound.answered()
        assert bound.at_once == 16

    run(work)


def test_never_below_one() -> None:
    async def work() -> None:
        bound, clock = limits(4)
        for _ in range(9):
            clock.now += 1
            bound.failed(BUSY, await bound.enter())
        assert bound.at_once == 1
        assert bound.under_way == 0

    run(work)


@pytest.mark.parametrize("status", [None, 400, 500])
def test_other_failures_say_nothing_about_the_number(status: int | None) -> None:
    async def work() -> None:
        bound, _ = limits(4)
        bound.failed(ProviderError("x", status=status), await bound.enter())
        assert bound.at_once == 4

    run(work)


def test_everybody_waits_when_the_server_means_everybody() -> None:
    async def work() -> None:
        bound, clock = limits(4)
        later = ProviderError("busy", status=429, retryable=True, retry_after=20.0)
        bound.failed(later, await bound.enter())
        began = clock.now
        await bound.enter()  # one refusal alone may be an accident
        assert clock.now == began
        bound.failed(later, clock.now)
        await bound.enter()
        assert clock.now == pytest.approx(began + 20)

    run(work)


def test_a_limit_that_is_used_up_by_an_answer() -> None:
    async def work() -> None:
        bound, clock = limits(4)
        await bound.enter()
        bound.answered(pause=6.0)
        began = clock.now
        await bound.enter()
        assert clock.now == pytest.approx(began + 6)

    run(work)


def test_requests_a_minute() -> None:
    async def work() -> None:
        bound, clock = limits(4, requests_a_minute=60)
        began = clock.now
        for _ in range(130):
            await bound.enter()
            bound.answered()
        assert clock.now - began == pytest.approx(120, abs=1)  # ten were saved up

    run(work)


def test_tokens_a_minute_and_what_the_guess_missed() -> None:
    async def work() -> None:
        bound, clock = limits(4, tokens_a_minute=6000)
        began = clock.now
        for _ in range(20):
            await bound.enter(tokens=500)
            bound.answered(more_tokens=100)
        spent = 20 * 600 - 1000  # of which a sixth of a minute's worth was saved up
        assert clock.now - began == pytest.approx(spent / 100, abs=6)

    run(work)


def test_a_request_larger_than_a_minute_goes_out_and_leaves_a_debt() -> None:
    async def work() -> None:
        bound, clock = limits(4, tokens_a_minute=600)
        await bound.enter(tokens=1200)
        bound.answered()
        began = clock.now
        await bound.enter(tokens=1)
        assert clock.now - began > 100

    run(work)


def test_what_a_server_says_that_it_took_is_paid_within_a_minute() -> None:
    """Else one count that cannot be true would hold up a run for hours."""

    async def work() -> None:
        bound, clock = limits(4, tokens_a_minute=600)
        await bound.enter(tokens=50)
        bound.answered(more_tokens=2**24)
        began = clock.now
        await bound.enter(tokens=50)
        assert 50 < clock.now - began < 70

    run(work)


def test_a_wish_to_stop() -> None:
    async def work() -> None:
        bound, clock = limits(1, requests_a_minute=1)
        await bound.enter()
        bound.answered()
        clock.ask()
        with pytest.raises(Draining):
            await bound.enter()
        assert bound.under_way == 0

    run(work)
