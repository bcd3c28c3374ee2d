"""A page of one item, of a run that nobody has read yet, reads that item alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from tests.unit.analysis.browsing.made import by_chance, store_with

from adjudge.analysis.browsing import IndexCache, Neighbours, Query, RunIndex, RunItems
from adjudge.analysis.browsing import index_cache as shelf
from adjudge.stores import RunRecord, Store

Made = tuple[Store, RunRecord]
NONE = Neighbours(None, None, None, 0)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    found = store_with(tmp_path, by_chance(1, items=10, repeats=1))
    yield found
    found[0].close()


@pytest.fixture
def large(made: Made, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Ten items are many here, and reading them never ends."""
    monkeypatch.setattr(shelf, "FEW", 5)
    monkeypatch.setattr(shelf, "LARGE", 5)
    monkeypatch.setattr(shelf, "FIRST", 3)
    monkeypatch.setattr(shelf, "AT_ONCE", 0.0)
    monkeypatch.setattr(IndexCache, "_read_ahead", lambda *_: None)
    return made


def test_neighbours_are_those_in_the_data(made: Made) -> None:
    store, record = made
    items, ids = RunItems(record, store), store.items.ids(record.id)
    for before, after in pairwise(ids):
        assert items.neighbours(before, Query()).after == after
        assert items.neighbours(after, Query(sort="position", page=2, size=5)).before == before
    assert items.neighbours(ids[0], Query()).before is None
    assert items.neighbours(ids[-1], Query()).after is None
    assert items.neighbours("none", Query()) == NONE


@pytest.mark.parametrize(
    "query", [Query(sort="cost"), Query(down=True), Query(outcome="scored"), Query(search="a")]
)
def test_an_order_that_cannot_be_told_yet_has_none(made: Made, query: Query) -> None:
    store, record = made
    assert RunItems(record, store).neighbours(store.items.ids(record.id)[3], query) == NONE


def test_nothing_else_is_read_of_a_large_run(large: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    store, record = large
    monkeypatch.setattr(shelf, "RunIndex", None)
    items = IndexCache(store).items(record.id)
    (entry,) = items.entries(store.items.ids(record.id)[4])[:1]
    assert entry.verdict.judge in items.judges
    assert items.record == record


def test_the_first_items_serve_where_they_were_read_for_a_page(large: Made) -> None:
    store, record = large
    runs = IndexCache(store)
    first = runs.soon(record.id)
    assert runs.items(record.id) is first
    last = store.items.ids(record.id)[-2:]
    assert last[0] not in first.arrays.places
    assert first.neighbours(last[0], Query()).after == last[1]


def test_what_was_read_of_a_run_serves_while_it_goes_on(large: Made) -> None:
    store, record = large
    runs = IndexCache(store)
    before = runs.of(record.id)
    store.verdicts.put(record.id, by_chance(1, items=20, repeats=1))
    assert runs.items(record.id) is before


def test_a_run_that_is_not_large_is_read(made: Made) -> None:
    store, record = made
    runs = IndexCache(store)
    assert isinstance(runs.items(record.id), RunIndex)
    assert runs.items(record.id) is runs.of(record.id)
