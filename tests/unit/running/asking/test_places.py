from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Awaitable, Callable

import pytest

from adjudge.errors import ProviderError
from adjudge.running.asking.limits import Limits
from adjudge.running.asking.places import Places
from adjudge.running.asking.stop import Draining, Stop


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(20):
            await work()

    asyncio.run(main())


async def soon(task: asyncio.Task[None]) -> bool:
    """Whether it has got its place after a moment."""
    await asyncio.sleep(0.01)
    return task.done()


def test_whoever_has_the_fewest_is_next() -> None:
    async def work() -> None:
        places = Places(3)
        for _ in range(3):
            await places.take("run")
        more = [asyncio.create_task(places.take("run")) for _ in range(5)]
        await asyncio.sleep(0)
        single = asyncio.create_task(places.take("desk"))
        assert not await soon(single)
        places.give_back("run")
        assert await soon(single)
        assert not any(task.done() for task in more)
        places.give_back("desk")
        assert [await soon(task) for task in more] == [True, False, False, False, False]
        for task in more[1:]:
            task.cancel()

    run(work)


def test_a_single_place_goes_round() -> None:
    async def work() -> None:
        places, order = Places(1), list[str]()

        async def ask(who: str) -> None:
            await places.take(who)
            order.append(who)
            await asyncio.sleep(0.001)
            places.give_back(who)

        await asyncio.gather(*(ask(who) for who in "aaabbbc"))
        assert "".join(order) == "aabcabb"

    run(work)


def test_a_place_of_somebody_who_left_is_not_lost() -> None:
    async def work() -> None:
        places = Places(1)
        await places.take("a")
        waits, late, last = (asyncio.create_task(places.take("b")) for _ in range(3))
        await asyncio.sleep(0.01)
        waits.cancel()
        await asyncio.sleep(0.01)
        places.give_back("a")
        late.cancel()  # the place is its own by now, and it does not know
        assert await soon(last)
        places.give_back("b")
        await places.take("c")

    run(work)


def test_loops_in_several_threads_share_them() -> None:
    """Some leave at any time, and their loops end: no place may be lost or given twice."""
    places, lock = Places(4), threading.Lock()
    now = most = done = 0
    failed: list[BaseException] = []

    async def ask(who: object) -> None:
        nonlocal now, most, done
        await places.take(who)
        try:
            with lock:
                now, done = now + 1, done + 1
                most = max(most, now)
            await asyncio.sleep(0.0005)
        finally:
            with lock:
                now -= 1
            places.give_back(who)

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
    assert (places._free, places._held, places._waiting) == (4, {}, {})


class TestLimits:
    def test_two_together_have_no_more_than_the_places(self) -> None:
        async def work() -> None:
            places = Places(4)
            first, second = (Limits(4, Stop(), places=places) for _ in range(2))
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
            places, stop = Places(1), Stop()
            slow = Limits(1, stop, requests_a_minute=6, places=places)
            other = Limits(1, Stop(), places=places)
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
            places = Places(1)
            first, second = (Limits(2, Stop(), places=places) for _ in range(2))
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
            places, stop = Places(1), Stop()
            run_, desk = Limits(1, stop, places=places), Limits(1, Stop(), places=places)
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
            places = Places(8)
            first, second = (Limits(8, Stop(), places=places) for _ in range(2))
            busy = ProviderError("busy", status=429, retryable=True)
            for _ in range(2):
                first.failed(busy, await first.enter())
            assert (first.at_once, second.at_once) == (4, 8)
            for _ in range(4):
                await first.enter()
                first.answered()
            assert first.at_once > 4.5

        run(work)
