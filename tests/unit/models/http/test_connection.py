"""Large answers share one bound, and none of them waits for ever; each request has its own time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import cast
from unittest.mock import Mock

import pytest
from tests.unit.models.http.test_endpoint import Reader, Server, Writer, endpoint

from adjudge.models.http import connection
from adjudge.models.http.connection import ANSWERS, AnswerMemory, Connection
from adjudge.models.http.failures import TimedOut

MB = 2**20


@pytest.fixture(autouse=True)
def all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MOST_IN_MEMORY", 2 * MB)


def test_the_oldest_goes_on_and_the_others_wait() -> None:
    shared, told = AnswerMemory(), []
    assert shared.add("old", MB, lambda: told.append("old"))
    assert shared.add("new", MB, lambda: told.append("new"))
    assert not shared.add("new", MB, lambda: told.append("new"))
    assert not shared.add("newest", MB, lambda: told.append("newest"))
    assert shared.add("old", 5 * MB, lambda: told.append("old"))
    assert told == []
    shared.release("old")  # 3 MB are left: still too much, but now another is the oldest
    assert told == ["new"]
    shared.release("new")
    assert told == ["new", "newest"]
    shared.release("newest")
    shared.release("nobody")
    assert shared.used == 0


class Large(Server):
    """Answers with 1 MB at first, and with the rest only once all have asked."""

    rest = 3 * MB
    asked = 0

    async def answer(self, reader: Reader, writer: Writer) -> None:
        self.asked += 1
        size = MB + self.rest
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        writer.write(b"x" * MB)
        await writer.drain()
        for _ in range(self.rest // MB):
            writer.write(b"x" * MB)
            await writer.drain()


def ask_all(count: int, most_seen: list[int]) -> None:
    async def main() -> None:
        server = Large()
        async with server.at() as base:
            wire = endpoint(base)

            async def look() -> None:
                while True:
                    most_seen.append(ANSWERS.used)
                    await asyncio.sleep(0.001)

            watching = asyncio.create_task(look())
            for _ in range(2):  # the connections are used again: none may have been left waiting
                answers = await asyncio.gather(*(wire.post(b"{}") for _ in range(count)))
                assert {len(each.body) for each in answers} == {MB + server.rest}
            await asyncio.sleep(0.01)
            watching.cancel()
            await wire.aclose()

    asyncio.run(main())


def test_many_answers_at_once() -> None:
    """16 times 4 MB within 2 MB, one whole answer, and what was on its way to each."""
    seen: list[int] = []
    ask_all(16, seen)
    assert ANSWERS.used == 0
    assert max(seen) <= 2 * MB + 4 * MB + 16 * 2**18


def test_several_loops() -> None:
    """As the runs of a service have them."""
    seen: list[int] = []
    threads = [threading.Thread(target=ask_all, args=(6, seen)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert ANSWERS.used == 0
    assert max(seen) <= 2 * MB + 4 * MB + 18 * 2**18


def test_one_that_never_ends_does_not_hold_up_the_others() -> None:
    """It is late at last, and what it held is free."""

    class Stuck(Server):
        async def answer(self, reader: Reader, writer: Writer) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (4 * MB))
            writer.write(b"x" * 3 * MB)
            await writer.drain()
            if self.connections > 2:
                writer.write(b"x" * MB)
                await writer.drain()
            else:
                await asyncio.sleep(60)

    async def main() -> list[object]:
        server = Stuck()
        async with server.at() as base:
            hasty, patient = endpoint(base, 0.3), endpoint(base, 20.0)
            stuck = [asyncio.create_task(hasty.post(b"{}")) for _ in range(2)]
            await asyncio.sleep(0.1)
            found = await asyncio.gather(
                *stuck, *(patient.post(b"{}") for _ in range(4)), return_exceptions=True
            )
            await asyncio.sleep(0.01)
            await hasty.aclose()
            await patient.aclose()
            return found

    found = asyncio.run(main())
    assert [isinstance(each, Exception) for each in found] == [True] * 2 + [False] * 4
    assert ANSWERS.used == 0


class Clock:
    """The time of a loop, which goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self._set: dict[asyncio.TimerHandle, Callable[[], None]] = {}
        self.create_future = asyncio.get_running_loop().create_future

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, ring: Callable[[], None]) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, ring, (), asyncio.get_running_loop())
        self._set[handle] = ring
        return handle

    def go_to(self, now: float) -> None:
        self.now = now
        due = [one for one in self._set if one.when() <= now and not one.cancelled()]
        for ring in [self._set.pop(one) for one in due]:
            ring()


def connected(clock: Clock) -> Connection:
    made = Connection(cast(asyncio.AbstractEventLoop, clock), set())
    made.connection_made(Mock(spec=asyncio.Transport, is_closing=lambda: False))
    return made


async def asked(one: Connection, clock: Clock, seconds: float) -> asyncio.Task[None]:
    exchange = one.exchange(b"head", b"body", seconds, clock.time() + seconds)
    task = asyncio.ensure_future(exchange)
    await asyncio.sleep(0)
    return task


def answer(one: Connection) -> None:
    one.data_received(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


@pytest.mark.parametrize(("seconds", "before", "at"), [(10.0, 17.9, 18.0), (1.0, 8.9, 9.0)])
def test_each_request_has_its_own_time_on_a_connection_that_is_used_again(
    seconds: float, before: float, at: float
) -> None:
    async def main() -> None:
        clock = Clock()
        one = connected(clock)
        first = await asked(one, clock, 10.0)
        answer(one)
        await first
        clock.go_to(8.0)
        second = await asked(one, clock, seconds)
        clock.go_to(min(10.0, before))  # the first one's time is over
        clock.go_to(before)
        await asyncio.sleep(0)
        assert not second.done()
        clock.go_to(at)
        with pytest.raises(TimedOut):
            await second

    asyncio.run(main())


def test_the_time_of_an_earlier_request_does_not_end_a_stream() -> None:
    async def main() -> None:
        clock = Clock()
        one = connected(clock)
        first = await asked(one, clock, 10.0)
        answer(one)
        await first
        stream = asyncio.ensure_future(one.begin_stream(b"head"))
        await asyncio.sleep(0)
        clock.go_to(60.0)
        answer(one)
        await stream
        assert await one.read() == b"ok"

    asyncio.run(main())
