from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any, cast

import pytest

from adjudge.core.item import Item
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.errors import StoreError
from adjudge.running.recorder import Recorder
from adjudge.stores.base import Entry, Store


class Shelf:
    """A store that only keeps; `failures` tells how often it fails first."""

    def __init__(self, failures: int = 0) -> None:
        self.commits: list[list[str]] = []
        self.failures = failures
        self.open = threading.Event()
        self.open.set()

    def put(self, run_id: str, entries: Sequence[Entry]) -> None:
        assert self.open.wait(5)
        if entries and self.failures:
            self.failures -= 1
            raise StoreError("locked")
        if entries:
            self.commits.append([entry.item.id for entry in entries])

    @property
    def kept(self) -> list[str]:
        return [name for commit in self.commits for name in commit]


def entry(name: str) -> Entry:
    verdict = Verdict(
        item=name, judge="j", fingerprint="f", model="m", outcome=Outcome.SCORED, scores={}
    )
    return Entry(0, Item(name, {}), verdict)


def recording(shelf: Shelf) -> Recorder:
    return Recorder(cast(Store, cast(Any, shelf)), "run")


def test_kept_before_add_returns() -> None:
    async def run() -> None:
        async with recording(shelf) as recorder:
            await recorder.add(entry("a"))
            assert shelf.kept == ["a"]

    shelf = Shelf()
    asyncio.run(run())


def test_what_comes_during_a_commit_shares_the_next() -> None:
    async def run() -> None:
        async with recording(shelf) as recorder:
            shelf.open.clear()
            adding = [asyncio.create_task(recorder.add(entry(name))) for name in "abcdef"]
            await asyncio.sleep(0.02)
            shelf.open.set()
            await asyncio.gather(*adding)

    shelf = Shelf()
    asyncio.run(run())
    assert sorted(shelf.kept) == list("abcdef")
    assert len(shelf.commits) <= 2


def test_an_interruption_loses_nothing() -> None:
    async def run() -> None:
        async with recording(shelf) as recorder:
            shelf.open.clear()
            adding = [asyncio.create_task(recorder.add(entry(name))) for name in "abc"]
            await asyncio.sleep(0.02)
            for task in adding:
                task.cancel()
            asyncio.get_running_loop().call_later(0.02, shelf.open.set)
            await asyncio.gather(*adding, return_exceptions=True)
            raise KeyboardInterrupt

    shelf = Shelf()
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(run())
    assert sorted(shelf.kept) == ["a", "b", "c"]


def test_a_failed_commit_is_tried_again_at_the_end() -> None:
    async def run() -> None:
        async with recording(shelf) as recorder:
            await recorder.add(entry("a"))

    shelf = Shelf(failures=1)
    with pytest.raises(StoreError):
        asyncio.run(run())
    assert shelf.kept == ["a"]
