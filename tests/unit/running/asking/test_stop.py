"""Who hears of signals: the run while it goes on, and everybody else as before."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from adjudge.running.asking.stop import SIGNALS, Stop, drained_by_signals


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """Whatever a test does, the handlers are the same afterwards."""
    before = {each: signal.getsignal(each) for each in SIGNALS}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


def press(number: int = signal.SIGINT) -> None:
    signal.raise_signal(number)


def run(work: Callable[[Stop, list[str]], Coroutine[Any, Any, None]]) -> list[str]:
    """Runs it as `asyncio.run` does; returns what was told."""
    told: list[str] = []

    async def main() -> None:
        async with asyncio.timeout(5):
            await work(Stop(), told)

    asyncio.run(main())
    return told


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_one_only_asks_to_stop(number: int) -> None:
    async def work(stop: Stop, told: list[str]) -> None:
        with drained_by_signals(stop, lambda: told.append("stopping")):
            press(number)
            await asyncio.sleep(0.01)  # no cancellation, no KeyboardInterrupt
            assert stop.asked

    assert run(work) == ["stopping"]


@pytest.mark.parametrize("between", [0.01, None])
def test_the_second_one_stops_at_once(between: float | None) -> None:
    """Also when the loop is too busy to hear of one before the other."""

    async def pressing(stop: Stop, told: list[str]) -> None:
        with drained_by_signals(stop, lambda: told.append("stopping")):
            press()
            if between:
                await asyncio.sleep(between)
            press()
            await asyncio.sleep(60)

    async def work(stop: Stop, told: list[str]) -> None:
        task = asyncio.create_task(pressing(stop, told))
        await asyncio.wait([task])
        assert task.cancelled()

    assert run(work) == ["stopping"]


def test_the_second_may_be_another_one() -> None:
    async def pressing(stop: Stop, told: list[str]) -> None:
        with drained_by_signals(stop, lambda: told.append("stopping")):
            press(signal.SIGHUP)
            press(signal.SIGTERM)
            await asyncio.sleep(60)

    async def work(stop: Stop, told: list[str]) -> None:
        task = asyncio.create_task(pressing(stop, told))
        await asyncio.wait([task])
        assert task.cancelled()

    assert run(work) == ["stopping"]


def test_what_is_ignored_stays_so() -> None:
    """As `nohup` has it with the end of the terminal; the others are heard."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    async def work(stop: Stop, _: list[str]) -> None:
        with drained_by_signals(stop, None):
            press(signal.SIGHUP)
            await asyncio.sleep(0.01)
            assert not stop.asked
            press(signal.SIGTERM)
            await asyncio.sleep(0.01)
            assert stop.asked

    run(work)


def test_nobody_need_be_told() -> None:
    async def work(stop: Stop, _: list[str]) -> None:
        with drained_by_signals(stop, None):
            press()
            await asyncio.sleep(0.01)
            assert stop.asked

    run(work)


def test_wakes_who_waits() -> None:
    """A retry that waits for a minute, say."""

    async def work(stop: Stop, told: list[str]) -> None:
        with drained_by_signals(stop, None):
            asyncio.get_running_loop().call_later(0.01, press)
            try:
                await stop.sleep(60)
            except Exception as error:
                told.append(type(error).__name__)

    assert run(work) == ["Draining"]


def test_the_handler_is_as_before_afterwards() -> None:
    async def failing(stop: Stop) -> None:
        with drained_by_signals(stop, None):
            raise ValueError("as it may happen")

    async def work(stop: Stop, _: list[str]) -> None:
        before = signal.getsignal(signal.SIGINT)
        with drained_by_signals(stop, None):
            assert signal.getsignal(signal.SIGINT) is not before
        assert signal.getsignal(signal.SIGINT) is before
        with pytest.raises(ValueError, match="as it may"):
            await failing(stop)
        assert signal.getsignal(signal.SIGINT) is before

    run(work)


def test_a_handler_of_the_program_is_left_alone() -> None:
    """A program that handles Ctrl-C itself, such as a server, goes on doing so."""
    heard: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: heard.append(number))

    async def work(stop: Stop, _: list[str]) -> None:
        with drained_by_signals(stop, None):
            press()
            await asyncio.sleep(0.01)
            assert not stop.asked

    run(work)
    assert heard == [signal.SIGINT]


def test_elsewhere_than_in_the_main_thread() -> None:
    """Only the main thread may set a handler; a notebook runs in another."""
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    async def work(stop: Stop, _: list[str]) -> None:
        with drained_by_signals(stop, None):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run, args=(work,))
    thread.start()
    thread.join()
    assert seen == [before]
