"""Indexes are kept while they are true, and few of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.analysis.browsing.made import by_chance, store_with

from adjudge.analysis.browsing import IndexCache, Query, RunIndex
from adjudge.analysis.browsing import index_cache as shelf
from adjudge.analysis.browsing.overview import RunOverview
from adjudge.errors import UsageError
from adjudge.stores import RunRecord, Store

Made = tuple[Store, RunRecord]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    found = store_with(tmp_path, by_chance(1, items=10, repeats=1))
    yield found
    found[0].close()


def test_the_same_index_while_nothing_changes(made: Made) -> None:
    store, record = made
    runs = IndexCache(store)
    index = runs.of(record.id)
    assert runs.of(record.id[:6]) is runs.of("latest") is index
    assert runs.overview(record) is index.overview()
    with pytest.raises(UsageError):
        runs.of("none")


def test_a_run_that_goes_on(made: Made) -> None:
    store, record = made
    runs = IndexCache(store)
    before, overview = runs.of(record.id), runs.overview(record)
    store.verdicts.put(record.id, by_chance(1, items=20, repeats=1))
    after = runs.of(record.id)
    assert (before.items, after.items) == (10, 20)
    assert after.mark > before.mark
    assert runs.overview(record).items == 20
    assert overview.items == 10


def test_a_verdict_that_is_replaced(made: Made) -> None:
    """As `reread` and a second try do: there are no more verdicts than before."""
    store, record = made
    runs = IndexCache(store)
    runs.of(record.id)
    entry = next(store.verdicts.entries(record.id))
    store.verdicts.put(
        record.id, [entry._replace(verdict=replace(entry.verdict, latency_ms=12345.0))]
    )
    (row,) = runs.of(record.id).page(Query(sort="latency", down=True, size=1)).rows
    assert row.item == entry.item.id


def test_a_run_that_ends_without_another_verdict(made: Made) -> None:
    store, record = made
    runs = IndexCache(store)
    assert runs.of(record.id).record.state == "running"
    store.runs.end(record.id, "finished")
    assert runs.of(record.id).record.state == "finished"


def test_few_are_kept(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    store, record = made
    others = [replace(record, id=f"{n:012x}") for n in range(5)]
    for other in others:
        store.runs.start(other)
        store.verdicts.put(other.id, by_chance(1, items=3, repeats=1))
    monkeypatch.setattr(shelf, "_RUNS", 2)
    runs = IndexCache(store)
    kept = [runs.of(other.id) for other in others]
    assert runs.of(others[-1].id) is kept[-1]
    assert runs.of(others[-2].id) is kept[-2]
    assert runs.of(others[0].id) is not kept[0]
    monkeypatch.setattr(shelf, "_BYTES", 1)
    last = runs.of(others[1].id)
    assert runs.of(others[1].id) is last  # a single one is kept however large
    assert list(runs._indexes) == [others[1].id]
    assert last.bytes > 1


def test_a_run_is_read_once_however_many_ask(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    store, record = made
    runs, found, read = IndexCache(store), [], []

    def counted(*about: object) -> RunIndex:
        read.append(about)
        return RunIndex(*about)  # type: ignore[arg-type]

    monkeypatch.setattr(shelf, "RunIndex", counted)
    threads = [
        threading.Thread(target=lambda: found.append(runs.of(record.id).page(Query()).total))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [10] * 8
    assert len(read) == 1


@pytest.fixture
def large(made: Made, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Ten items are many here, and a page waits for nothing."""
    monkeypatch.setattr(shelf, "LARGE", 5)
    monkeypatch.setattr(shelf, "FIRST", 3)
    monkeypatch.setattr(shelf, "AT_ONCE", 0.0)
    return made


def read_to_the_end(runs: IndexCache, run: str) -> RunIndex:
    runs._ahead[run].result(60)
    return runs.soon(run)


def test_of_a_large_run_the_first_items_are_there_at_once(large: Made) -> None:
    store, record = large
    runs = IndexCache(store)
    with runs._reading.setdefault(record.id, threading.Lock()):  # somebody reads, slowly
        first = runs.soon(record.id)
        assert first.partial
        assert 0 < first.items <= 3
        assert runs.soon(record.id) is first
        assert first.overview().items == first.items
    whole = read_to_the_end(runs, record.id)
    assert (whole.partial, whole.items) == (False, 10)
    assert whole is runs.of(record.id)


def test_of_a_large_run_that_goes_on_what_was_read_is_shown_until_the_rest_is(large: Made) -> None:
    store, record = large
    runs = IndexCache(store)
    before = runs.of(record.id)
    assert runs.soon(record.id) is before
    store.verdicts.put(record.id, by_chance(1, items=20, repeats=1))
    with runs._reading[record.id]:
        assert runs.soon(record.id) is before
    assert read_to_the_end(runs, record.id).items == 20


def test_a_large_run_is_handed_out_when_its_pages_are_ready(
    large: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, record = large
    runs, seen, overview = IndexCache(store), [], RunIndex.overview

    def watched(index: RunIndex) -> RunOverview:
        seen.append(record.id in runs._indexes)
        return overview(index)

    monkeypatch.setattr(RunIndex, "overview", watched)
    runs.soon(record.id)
    whole = read_to_the_end(runs, record.id)
    assert (seen, whole.partial) == ([False], False)
    assert replace(Query(), page=1, size=1) in whole._orders


def test_a_run_that_is_not_large_is_waited_for(made: Made) -> None:
    store, record = made
    assert IndexCache(store).soon(record.id).items == 10


def test_what_is_wrong_with_a_large_run_is_said(
    large: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, record = large
    runs = IndexCache(store)
    monkeypatch.setattr(runs, "_index", lambda *_, **__: 1 / 0)
    monkeypatch.setattr(shelf, "AT_ONCE", 60.0)
    with pytest.raises(ZeroDivisionError):
        runs.soon(record.id)
