"""Rows become work a little ahead of the workers: never many at once, none twice, none lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, cast

import pytest

from adjudge.core.item import Item
from adjudge.core.judge import Method
from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.run import Manifest
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.judges import registry
from adjudge.models.base import Capabilities
from adjudge.running import feed as module
from adjudge.running.asking.stop import Stop
from adjudge.running.feed import Feed, Work, chunks
from adjudge.running.options import Shard
from adjudge.running.plan import Batch
from adjudge.stores import Entry, RunRecord, Store, open_store

CHUNK = 4


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK", CHUNK)
    monkeypatch.setattr(module, "_AHEAD", 2 * CHUNK)


class Rows:
    """A dataset that counts how many of its rows have been read; some fail after a few."""

    def __init__(self, count: int, fails_after: int | None = None) -> None:
        self.count, self.read, self._fails_after = count, 0, fails_after

    def __call__(self) -> Iterator[Item]:
        for n in range(self.count):
            if n == self._fails_after:
                raise ValueError("the file changed")
            self.read += 1
            texts = dict.fromkeys(("answer", "source", "response"), f"text {n}")
            yield Item(f"r{n}", texts)


@dataclass
class Model:
    name: str = "openai/m"
    capabilities: Capabilities = field(default_factory=Capabilities)


def asked(name: str = "openai/m") -> Any:
    return Model(name)


@dataclass
class Cache:
    """Says that the requests of some rows are being made elsewhere."""

    others: set[str] = field(default_factory=set)
    looked_up: list[Sequence[str]] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)

    async def expect(self, keys: Sequence[str]) -> set[str]:
        self.looked_up.append(keys)
        await asyncio.sleep(0)
        return self.others & set(keys)

    def forget(self, keys: Iterator[str]) -> None:
        self.forgotten += keys


class ModelClient:
    """A request's key is the text of its prompt's item here."""

    def __init__(self, cache: Cache | None = None) -> None:
        self.model, self.cache, self.stop = Model(), cache, Stop()

    def key(self, prompt: Prompt) -> str:
        return f"{prompt.item}/{prompt.criterion or ''}"


def batch(rows: Rows, judges: Sequence[str], repeat: int = 1) -> Batch:
    loaded = tuple(map(registry.get, judges))
    manifest = Manifest(data="d", data_hash="h", judges={}, models=("openai/m",))
    record = RunRecord(id="run", manifest=manifest, sources={}, rows=rows.count)
    return Batch(
        run=record, items=rows, judges=loaded, models=(), sampling=Sampling(), repeat=repeat
    )


def make(rows: Rows, judge: str, client: ModelClient, **more: Any) -> Feed:
    return Feed(
        batch(rows, [judge], **more), cast(Store, _Secret()), cast(Any, client), resumed=False
    )


class _Secret:
    secret = b"s"


async def drain(feed: Feed) -> list[Work]:
    filling = asyncio.create_task(feed.fill())
    found = []
    while work := await feed.next():
        found.append(work)
    await filling
    return found


def run(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, 10))


class TestOrder:
    def test_every_row_once_in_the_order_of_the_data(self, politeness: str) -> None:
        found = run(drain(make(Rows(11), politeness, ModelClient(Cache()))))
        assert [(work.position, work.item.id) for work in found] == [
            (n, f"r{n}") for n in range(11)
        ]

    def test_samples_and_judges_one_after_the_other(self, politeness: str, tmp_path: Path) -> None:
        """So that what a provider keeps of a judge's prompt serves all rows."""
        other = tmp_path / "other.yaml"
        other.write_text(Path(politeness).read_text().replace("judge: politeness", "judge: other"))
        two = batch(Rows(2), [politeness, str(other)], repeat=2)
        found = [work for some in chunks(two, None, asked(), resumed=False) for work in some]
        assert [(w.judge.name, w.prompts[0].sample, w.position) for w in found] == [
            (judge, sample, row)
            for judge in ("politeness", "other")
            for sample in (0, 1)
            for row in (0, 1)
        ]

    @pytest.mark.parametrize("parts", [1, 3, 16])
    def test_parts_have_every_row_once_at_its_position(self, politeness: str, parts: int) -> None:
        shards = [Shard.parse(f"{n}/{parts}") for n in range(1, parts + 1)]
        whole = replace(batch(Rows(11), [politeness]), models=(asked(),))
        positions = [
            [
                (work.position, work.item.id)
                for some in chunks(replace(whole, shard=shard), None, asked(), resumed=False)
                for work in some
            ]
            for shard in shards
        ]
        assert sorted(chain(*positions)) == [(n, f"r{n}") for n in range(11)]
        shares = [replace(whole, shard=shard).verdicts for shard in shards]
        assert [len(some) for some in positions] == shares

    def test_no_rows(self, politeness: str) -> None:
        assert run(drain(make(Rows(0), politeness, ModelClient(Cache())))) == []

    def test_without_a_cache(self, politeness: str) -> None:
        assert len(run(drain(make(Rows(11), politeness, ModelClient())))) == 11


class TestBySource:
    """By likelihood, the texts about one source come together: a model that reads it knows it."""

    def rows(self) -> list[Item]:
        """Three sources, sorted by system."""
        return [
            Item(f"{system}{source}", {"source": f"source {source}", "response": system * 40})
            for system in "abcd"
            for source in range(3)
        ]

    def fed(self, items: list[Item], method: Method, resumed: Store | None = None) -> list[Work]:
        of = batch(Rows(len(items)), ["gptscore"])
        judges = (replace(of.judges[0], method=method),)
        of = replace(of, items=lambda: iter(items), judges=judges)
        found = chunks(of, resumed, asked(), resumed=resumed is not None)
        return [work for some in found for work in some]

    def test_in_the_order_of_the_sources_with_their_positions(self) -> None:
        items = self.rows()
        found = self.fed(items, "likelihood")
        assert [work.item.id for work in found] == [f"{s}{n}" for n in range(3) for s in "abcd"]
        assert all(items[work.position] is work.item for work in found)

    @pytest.mark.parametrize("method", ["text", "expected"])
    def test_others_go_by_the_data(self, method: Method) -> None:
        assert [work.position for work in self.fed(self.rows(), method)] == list(range(12))

    def test_only_so_many_rows_are_held(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is larger comes in parts, each by source."""
        monkeypatch.setattr(module, "_GATHERED", 6 * (module._ROW + len("source 0") + 40))
        found = self.fed(self.rows(), "likelihood")
        assert [work.item.id for work in found] == [
            f"{system}{source}" for part in ("ab", "cd") for source in range(3) for system in part
        ]

    def test_the_columns_besides_count_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_GATHERED", 5_000)
        items = [replace(item, extra={"trace": "x" * 5_000, "n": 1}) for item in self.rows()]
        assert [work.position for work in self.fed(items, "likelihood")] == list(range(12))

    def test_what_is_answered_is_left_out(self, tmp_path: Path) -> None:
        items = self.rows()
        store = open_store(tmp_path / "store.db")
        store.runs.start(batch(Rows(12), ["gptscore"]).run)
        verdict = replace(_entry(4, Outcome.SCORED).verdict, item=items[4].id, judge="gptscore")
        store.verdicts.put("run", [Entry(4, items[4], verdict)])
        found = [work.position for work in self.fed(items, "likelihood", store)]
        assert found == [0, 3, 6, 9, 1, 7, 10, 2, 5, 8, 11]
        store.close()


class TestMemory:
    def test_only_a_little_ahead(self, politeness: str) -> None:
        """The rest of the data is not read before it is needed."""

        async def work() -> None:
            rows = Rows(1000)
            feed = make(rows, politeness, ModelClient(Cache()))
            filling = asyncio.create_task(feed.fill())
            for taken in range(1, 101):
                assert await feed.next()
                await asyncio.sleep(0)
                assert rows.read <= taken + 4 * CHUNK
            filling.cancel()
            await asyncio.gather(filling, return_exceptions=True)

        run(work())

    def test_long_rows_come_in_smaller_chunks(
        self, politeness: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "_MOST", 1)
        found = chunks(batch(Rows(5), [politeness]), None, asked(), resumed=False)
        assert [len(some) for some in found] == [1] * 5

    def test_looked_up_together(self, politeness: str) -> None:
        cache = Cache()
        run(drain(make(Rows(10), politeness, ModelClient(cache))))
        assert [len(keys) for keys in cache.looked_up] == [4, 4, 2]


class TestOtherProcesses:
    def test_rows_that_others_work_on_are_left_out(self, politeness: str) -> None:
        cache = Cache(others={"r1/", "r6/"})
        feed = make(Rows(8), politeness, ModelClient(cache))
        found = run(drain(feed))
        assert [work.position for work in found] == [0, 2, 3, 4, 5, 7]
        assert feed.skipped == 2

    def test_what_was_claimed_for_such_a_row_is_free_again(self) -> None:
        """Of a row's nine calls one is made elsewhere: the others are not held back meanwhile."""
        (work,) = run(drain(make(Rows(1), "gptscore", ModelClient(Cache()))))
        keys = [f"r0/{prompt.criterion}" for prompt in work.prompts]
        assert len(set(keys)) == 9
        cache = Cache(others={keys[3]})
        assert run(drain(make(Rows(1), "gptscore", ModelClient(cache)))) == []
        assert cache.forgotten == keys[:3] + keys[4:]


class TestEnd:
    def test_a_wish_to_stop(self, politeness: str) -> None:
        """Workers get nothing more, though there is something ready, and filling ends."""

        async def work() -> None:
            client = ModelClient(Cache())
            feed = make(Rows(1000), politeness, client)
            filling = asyncio.create_task(feed.fill())
            assert await feed.next()
            client.stop.ask()
            assert await feed.next() is None
            await filling

        run(work())

    def test_a_wish_to_stop_when_all_workers_have_left(self, politeness: str) -> None:
        """They were all about to ask again, say: nobody comes for the rows that are ready."""

        async def work() -> None:
            client = ModelClient(Cache())
            feed = make(Rows(1000), politeness, client)
            filling = asyncio.create_task(feed.fill())
            assert await feed.next()
            await asyncio.sleep(0.05)
            client.stop.ask()
            await asyncio.wait_for(filling, 1)

        run(work())

    def test_a_failure_does_not_leave_workers_waiting(self, politeness: str) -> None:
        """Data that changed meanwhile, say."""

        async def work() -> None:
            feed = make(Rows(6, fails_after=1), politeness, ModelClient(Cache()))
            filling = asyncio.create_task(feed.fill())
            assert await feed.next() is None
            with pytest.raises(ValueError, match="the file changed"):
                await filling

        run(work())


class TestResumed:
    def test_only_what_has_no_answer(self, politeness: str, tmp_path: Path) -> None:
        """Answered ones are left out, ones without an answer are not; positions stay."""
        two = batch(Rows(9), [politeness])
        store = open_store(tmp_path / "store.db")
        store.runs.start(two.run)
        outcomes = {0: Outcome.SCORED, 4: Outcome.PROVIDER_ERROR, 5: Outcome.UNREADABLE,
                    8: Outcome.BUDGET_STOPPED}  # fmt: skip
        store.verdicts.put("run", [_entry(n, outcome) for n, outcome in outcomes.items()])
        found = [
            work.position for some in chunks(two, store, asked(), resumed=True) for work in some
        ]
        assert found == [1, 2, 3, 4, 6, 7, 8]
        other = chunks(two, store, asked("openai/n"), resumed=True)
        assert sum(map(len, other)) == 9  # another model has answered nothing yet
        store.close()


def _entry(position: int, outcome: Outcome) -> Entry:
    item = Item(f"r{position}", {"answer": "a"})
    verdict = Verdict(
        item=item.id, judge="politeness", fingerprint="f", model="openai/m", outcome=outcome,
        scores={},
    )  # fmt: skip
    return Entry(position, item, verdict)
