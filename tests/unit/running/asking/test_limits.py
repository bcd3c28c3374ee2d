from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Awaitable, Callable

import pytest

from adjudge.errors import ProviderError
from adjudge.running.asking.limits import Limits, SharedSlots
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
        async with asyncio.timeout(20):
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


async def soon(task: asyncio.Task[None]) -> bool:
    """Whether it has got its place after a moment."""
    await asyncio.sleep(0.01)
    return task.done()


def test_whoever_has_the_fewest_is_next() -> None:
    async def work() -> None:
        slots = SharedSlots(3)
        for _ in range(3):
            await slots.take("run")
        more = [asyncio.create_task(slots.take("run")) for _ in range(5)]
        await asyncio.sleep(0)
        single = asyncio.create_task(slots.take("desk"))
        assert not await soon(single)
        slots.give_back("run")
        assert await soon(single)
        assert not any(task.done() for task in more)
        slots.give_back("desk")
        assert [await soon(task) for task in more] == [True, False, False, False, False]
        for task in more[1:]:
            task.cancel()

    run(work)


def test_a_single_place_goes_round() -> None:
    async def work() -> None:
        slots, order = SharedSlots(1), list[str]()

        async def ask(who: str) -> None:
            await slots.take(who)
            order.append(who)
            await asyncio.sleep(0.001)
            slots.give_back(who)

        await asyncio.gather(*(ask(who) for who in "aaabbbc"))
        assert "".join(order) == "aabcabb"

    run(work)


def test_a_place_of_somebody_who_left_is_not_lost() -> None:
    async def work() -> None:
        slots = SharedSlots(1)
        await slots.take("a")
        waits, late, last = (asyncio.create_task(slots.take("b")) for _ in range(3))
        await asyncio.sleep(0.01)
        waits.cancel()
        await asyncio.sleep(0.01)
        slots.give_back("a")
        late.cancel()  # the slot is its own by now, and it does not know
        assert await soon(last)
        slots.give_back("b")
        await slots.take("c")

    run(work)


def test_loops_in_several_threads_share_them() -> None:
    """Some leave at any time, and their loops end: no slot may be lost or given twice."""
    slots, lock = SharedSlots(4), threading.Lock()
    now = most = done = 0
    failed: list[BaseException] = []

    async def ask(who: object) -> None:
        nonlocal now, most, done
        await slots.take(who)
        try:
            with lock:
                now, done = now + 1, done + 1
                most = max(most, now)
            await asyncio.sleep(0.0005)
        finally:
            with lock:
                now -= 1
            slots.give_back(who)

    async def asks(seed: int) -> None:
        chance, who = random.Random(seed), object()  # noqa: S311 - no secret
        for _ in range(10):
            tasks = [asyncio.create_task(ask(who)) for _ in range(20)]
            await asyncio.sleep(0.001)
            for task in chance.sample(tasks, 8):
                task.cancel()
            await asyncio.wait(tasks)

    def thread(seed: int) -> None:
        try:
            for again in range(3):
                asyncio.run(asyncio.wait_for(asks(10 * seed + again), 20))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=thread, args=(seed,)) for seed in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed
    assert done >= 3 * 3 * 10 * 12
    assert most == 4
    assert (slots._free, slots._held, slots._waiting) == (4, {}, {})


class TestLimits:
    def test_two_together_have_no_more_than_the_places(self) -> None:
        async def work() -> None:
            slots = SharedSlots(4)
            first, second = (Limits(4, Stop(), slots=slots) for _ in range(2))
            for _ in range(2):
                await first.enter()
                await second.enter()
            fifth = asyncio.create_task(first.enter())
            await asyncio.sleep(0.01)
            assert not fifth.done()
            second.answered()
            await fifth

        run(work)

    def test_whoever_waits_for_the_minute_keeps_no_place_from_others(self) -> None:
        async def work() -> None:
            slots, stop = SharedSlots(1), Stop()
            slow = Limits(1, stop, requests_a_minute=6, slots=slots)
            other = Limits(1, Stop(), slots=slots)
            await slow.enter()
            slow.answered()
            waits = asyncio.create_task(slow.enter())
            await asyncio.sleep(0.01)
            await other.enter()
            other.answered()
            stop.ask()
            with pytest.raises(Draining):
                await waits
            await other.enter()

        run(work)

    def test_a_pause_holds_for_those_who_waited_for_a_place(self) -> None:
        async def work() -> None:
            slots = SharedSlots(1)
            first, second = (Limits(2, Stop(), slots=slots) for _ in range(2))
            await first.enter()
            waits = asyncio.create_task(first.enter())
            await asyncio.sleep(0.01)
            began = time.monotonic()
            first.answered(pause=0.2)
            await second.enter()  # the pause is not its own
            assert time.monotonic() - began < 0.2
            second.answered()
            await waits
            assert time.monotonic() - began >= 0.2

        run(work)

    def test_a_wish_to_stop_gives_the_place_back(self) -> None:
        async def work() -> None:
            slots, stop = SharedSlots(1), Stop()
            run_, desk = Limits(1, stop, slots=slots), Limits(1, Stop(), slots=slots)
            await desk.enter()
            waits = asyncio.create_task(run_.enter())
            await asyncio.sleep(0.01)
            stop.ask()
            desk.answered()
            with pytest.raises(Draining):
                await waits
            assert run_.under_way == 0
            await desk.enter()

        run(work)

    def test_each_follows_the_server(self) -> None:
        async def work() -> None:
            slots = SharedSlots(8)
            first, second = (Limits(8, Stop(), slots=slots) for _ in range(2))
            busy = ProviderError("busy", status=429, retryable=True)
            for _ in range(2):
                first.failed(busy, await first.enter())
            assert (first.at_once, second.at_once) == (4, 8)
            for _ in range(4):
                await first.enter()
                first.answered()
            assert first.at_once > 4.5

        run(work)
