"""Texts are read once each, from wherever somebody stopped."""

from __future__ import annotations

from adjudge.stores.records import Place, Texts
from adjudge.stores.sqlite import SqliteStore

from .conftest import entry


def read(store: SqliteStore, run: str, after: Place) -> list[Texts]:
    return list(store.texts(run, after))


def items(texts: list[Texts]) -> list[str]:
    return [item for each in texts for _, item, _ in each.rows]


def test_items_and_then_verdicts(store: SqliteStore) -> None:
    ids = [f"i{n}" for n in range(100)]
    for n, item in enumerate(ids):
        store.put("run", [entry(item, n)])
        store.put("other", [entry(item, n)])
    found = read(store, "run", Place())
    assert items(found) == ids * 2
    assert found[-1].upto.table == "end"
    contents = [content for each in found for _, _, content in each.rows]
    assert contents[0].startswith(b'{"fields":')
    assert contents[-1].startswith(b'{"item":"i99"')


def test_going_on_from_every_place(store: SqliteStore) -> None:
    store.put("run", [entry(f"i{n}", n) for n in range(100)])
    whole = read(store, "run", Place())
    for n, each in enumerate(whole):
        assert items(read(store, "run", each.upto)) == items(whole[n + 1 :])


def test_a_run_without_verdicts(store: SqliteStore) -> None:
    assert items(read(store, "none", Place())) == []
