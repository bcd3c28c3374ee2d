from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import pytest

from adjudge.core.item import Item
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.errors import StoreError, StoreInterrupted
from adjudge.running import recorder as module
from adjudge.running.asking.budget import Budget
from adjudge.running.recorder import Recorder
from adjudge.stores import Claimed, Cost, Entry, Granted, KeptReply, Store


class Budgeted:
    """Grants what is asked for; `done` is what happened."""

    def __init__(self) -> None:
        self.done: list[tuple[Any, ...]] = []

    def reserve(self, run: str, need: Cost, ahead: Cost, **cap: Any) -> Granted:
        self.done.append(("reserve", need, ahead, cap["tokens"]))
        return Granted(need, 100.0, False)

    def reduce(self, run: str, cost: Cost) -> None:
        self.done.append(("reduce", cost))

    def hand_over(self, run: str, batch: str, cost: Cost) -> None:
        self.done.append(("hand over", batch, cost))

    def release(self, run: str) -> None:
        self.done.append(("release",))


class Shelf:
    """A store that only keeps; `failures` tells how often a commit fails first, and `cuts` how
    often the connection is cut in one."""

    steadily = Store.steadily

    def __init__(self, failures: int = 0, cuts: int = 0) -> None:
        self.commits: list[list[str]] = []
        self.failures, self.cuts = failures, cuts
        self.owner = self
        self.signs = 0
        self.free_of_claims = False
        self.open, self.disk = threading.Event(), threading.Event()
        self.open.set()
        self.disk.set()
        self.synced = 0
        self.replies = self.verdicts = self.runs = self
        self.reservations = Budgeted()
        self.spent = Cost()
        self._now: list[str] = []

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._now = []
        yield
        assert self.open.wait(5)
        if self._now and self.cuts:
            self.cuts -= 1
            raise StoreInterrupted("cut")
        if self._now and self.failures:
            self.failures -= 1
            raise StoreError("locked")
        if self._now:
            self.commits.append(self._now)

    def put(self, *what: Any) -> None:
        for each in what[-1]:
            self._now.append(each.item.id if isinstance(each, Entry) else each.key)

    def claim(self, keys: Sequence[str]) -> Claimed:
        there = {key for commit in self.commits for key in commit} | set(self._now)
        kept = {key: KeptReply(key, "", "", Reply(text="")) for key in keys if key in there}
        return Claimed(kept, frozenset(set(keys) - set(kept)))

    def release(self, keys: Sequence[str] | None = None) -> None:
        self.free_of_claims = keys is None
        self._now += keys or ()

    def spend(self, run: str, cost: Cost) -> None:
        self.spent = self.spent.plus(cost)

    def heartbeat(self) -> None:
        self.signs += 1

    def sync(self) -> None:
        assert self.disk.wait(5)
        self.synced = len(self.commits)

    @property
    def kept(self) -> list[str]:
        return [name for commit in self.commits for name in commit]


def entry(name: str) -> Entry:
    verdict = Verdict(
        item=name, judge="j", fingerprint="f", model="m", outcome=Outcome.SCORED, scores={}
    )
    return Entry(0, Item(name, {}), verdict)


class Told(list[str]):
    """The items whose verdicts were told as kept."""


def recording(shelf: Shelf, told: Told | None = None, lag: int = 1000) -> Recorder:
    heard = Told() if told is None else told
    store = cast(Store, cast(Any, shelf))
    return Recorder(store, "run", lag, lambda verdict: heard.append(verdict.item))


def test_told_only_once_it_is_on_the_disk() -> None:
    async def run() -> None:
        async with recording(shelf, told) as recorder:
            shelf.disk.clear()
            await recorder.add(entry("a"))
            await recorder.take([])  # comes back after everything before it is committed
            assert shelf.kept == ["a"]
            assert told == []
            shelf.disk.set()

    shelf, told = Shelf(), Told()
    asyncio.run(run())
    assert told == ["a"]
    assert shelf.synced == 1


def test_commits_go_on_while_the_disk_is_busy() -> None:
    async def run() -> None:
        async with recording(shelf, told) as recorder:
            shelf.disk.clear()
            for name in "abc":
                await recorder.add(entry(name))
                await recorder.take([])
            assert shelf.kept == ["a", "b", "c"]
            assert told == []
            shelf.disk.set()

    shelf, told = Shelf(), Told()
    asyncio.run(run())
    assert told == ["a", "b", "c"]


def test_what_comes_during_a_commit_shares_the_next() -> None:
    async def run() -> None:
        async with recording(shelf) as recorder:
            shelf.open.clear()
            for name in "abcdef":
                await recorder.add(entry(name))
                await asyncio.sleep(0.002)
            shelf.open.set()

    shelf = Shelf()
    asyncio.run(run())
    assert shelf.kept == list("abcdef")
    assert len(shelf.commits) <= 2


def test_rows_that_nobody_waits_for_share_a_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LATEST", 60.0)

    async def run() -> None:
        async with recording(shelf, lag=1000) as recorder:
            for n in range(module._TOGETHER - 1):
                await recorder.add(entry(f"{n}"))
            await asyncio.sleep(0.05)
            assert shelf.commits == []
            await recorder.add(entry("the last"))
            while not shelf.commits:  # noqa: ASYNC110 - the shelf is filled from another thread
                await asyncio.sleep(0.005)
            assert len(shelf.kept) == module._TOGETHER
            recorder.keep(KeptReply("k", "run", "m", Reply(text="")))
            await recorder.take([])  # somebody waits
            assert shelf.commits[1:] == [["k"]]

    shelf = Shelf()
    asyncio.run(asyncio.wait_for(run(), 30))


def test_a_commit_waits_for_a_moment_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LATEST", 0.01)

    async def run() -> None:
        async with recording(shelf) as recorder:
            await recorder.add(entry("a"))
            while not shelf.commits:  # noqa: ASYNC110 - the shelf is filled from another thread
                await asyncio.sleep(0.005)

    shelf = Shelf()
    asyncio.run(asyncio.wait_for(run(), 30))


def test_an_interruption_loses_nothing() -> None:
    async def run() -> None:
        async with recording(shelf) as recorder:
            shelf.open.clear()
            for name in "abc":
                await recorder.add(entry(name))
            threading.Timer(0.05, shelf.open.set).start()
            raise KeyboardInterrupt

    shelf = Shelf()
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(run())
    assert shelf.kept == ["a", "b", "c"]
    assert shelf.free_of_claims


def test_a_failed_commit_stops_the_run_and_is_tried_again_at_the_end() -> None:
    async def run() -> None:
        async with recording(shelf, told) as recorder:
            await recorder.add(entry("a"))
            for _ in range(1000):
                await asyncio.sleep(0.005)
                recorder.keep(KeptReply("k", "run", "m", Reply(text="")))

    shelf, told = Shelf(failures=1), Told()
    with pytest.raises(StoreError, match="locked"):
        asyncio.run(run())
    assert shelf.kept[0] == "a"
    assert told == ["a"]


def test_what_was_cut_off_is_written_again_and_once() -> None:
    async def run() -> None:
        async with recording(shelf, lag=0, told=told) as recorder:
            await recorder.add(entry("a"))
            await recorder.add(entry("b"))

    shelf, told = Shelf(cuts=2), Told()
    asyncio.run(run())
    assert shelf.kept == told == ["a", "b"]
    assert shelf.signs == 2  # what was signed may have been cut off too


def test_no_row_is_asked_after_one_that_could_not_be_kept() -> None:
    async def run() -> None:
        async with recording(shelf, lag=0) as recorder:
            await recorder.add(entry("a"))
            asked.append("b")

    shelf, asked = Shelf(failures=1), list[str]()
    with pytest.raises(StoreError, match="locked"):
        asyncio.run(run())
    assert asked == []
    assert shelf.kept == ["a"]


def test_a_failure_reaches_whoever_waits() -> None:
    async def run() -> None:
        async with recording(shelf) as recorder:
            recorder.give_up(["x"])
            await recorder.take(["k"])

    shelf = Shelf(failures=1)
    with pytest.raises(StoreError):
        asyncio.run(run())


def test_a_look_sees_what_was_handed_over_before() -> None:
    async def run() -> Claimed:
        async with recording(shelf) as recorder:
            recorder.keep(KeptReply("k", "run", "m", Reply(text="")))
            return await recorder.take(["k", "l"])

    shelf = Shelf()
    taken = asyncio.run(run())
    assert set(taken.kept) == {"k"}
    assert taken.ours == {"l"}


def test_spending_is_summed_up() -> None:
    async def run() -> None:
        async with recording(shelf) as recorder:
            shelf.open.clear()
            for _ in range(3):
                recorder.spend(Cost(10, 0.5), Cost())
            shelf.open.set()

    shelf = Shelf()
    asyncio.run(run())
    assert shelf.spent == Cost(30, 1.5)
    assert shelf.reservations.done == []  # without a budget nothing is reserved, nor dropped


def test_what_is_reserved_is_committed_before_it_is_granted() -> None:
    async def run() -> None:
        async with recording(shelf) as recorder:
            shelf.open.clear()
            asking = asyncio.create_task(recorder.reserve(Cost(10), Cost(70), Budget(tokens=100)))
            await asyncio.sleep(0.05)
            assert not asking.done()
            shelf.open.set()
            assert await asking == Granted(Cost(10), 100.0, False)
            recorder.hand_over("batch", Cost(3))
            recorder.spend(Cost(4), Cost(4))
            await recorder.flush()

    shelf = Shelf()
    asyncio.run(run())
    assert shelf.reservations.done == [
        ("reserve", Cost(10), Cost(70), 100),
        ("reduce", Cost(4)),
        ("hand over", "batch", Cost(3)),
        ("release",),
    ]


def test_whoever_waits_for_a_reservation_hears_that_it_failed() -> None:
    async def run() -> None:
        async with recording(shelf) as recorder:
            shelf.open.clear()
            recorder.give_up(["k"])
            asking = asyncio.create_task(recorder.reserve(Cost(10), Cost(), Budget(tokens=100)))
            await asyncio.sleep(0.01)
            shelf.open.set()
            with pytest.raises(StoreError, match="locked"):
                await asking

    shelf = Shelf(failures=1)
    asyncio.run(run())


@pytest.mark.parametrize("lag", [0, 1, 4])
def test_a_slow_disk_holds_up_the_asking(lag: int) -> None:
    async def run() -> None:
        async with recording(shelf, lag=lag) as recorder:
            shelf.open.clear()
            for n in range(lag):
                await recorder.add(entry(f"{n}"))
            adding = asyncio.create_task(recorder.add(entry("one too many")))
            await asyncio.sleep(0.02)
            assert not adding.done()
            shelf.open.set()
            await adding
            assert len(shelf.kept) >= 1

    shelf = Shelf()
    asyncio.run(asyncio.wait_for(run(), 5))
    assert len(shelf.kept) == lag + 1


def test_a_disk_that_is_busy_for_long_holds_up_the_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has not got yet would fill the memory; then all of it counts."""
    monkeypatch.setattr(module, "_UNTOLD", 3)

    async def run() -> int:
        async with recording(shelf, told) as recorder:
            adding = asyncio.ensure_future(add_all(recorder))
            while len(shelf.kept) < 4:  # noqa: ASYNC110 - the shelf is filled from another thread
                await asyncio.sleep(0.02)
            await asyncio.sleep(0.05)
            before = len(shelf.kept)
            shelf.disk.set()
            await asyncio.wait_for(adding, 5)
            return before

    async def add_all(recorder: Recorder) -> None:
        for name in "abcdefgh":
            await recorder.add(entry(name))

    shelf, told = Shelf(), Told()
    shelf.disk.clear()
    assert asyncio.run(run()) == 4
    assert told == list("abcdefgh")


def test_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with recording(shelf), asyncio.timeout(60):
            while shelf.signs < 3:  # noqa: ASYNC110 - the shelf is told from another thread
                await asyncio.sleep(0.02)

    monkeypatch.setattr(module, "_SIGN_OF_LIFE", 0.02)
    shelf = Shelf()
    asyncio.run(run())
