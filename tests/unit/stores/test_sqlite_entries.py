from __future__ import annotations

from adjudge.core.score import Outcome
from adjudge.stores.records import Entry, EntryKey, Wanted
from adjudge.stores.sqlite import SqliteStore

from .conftest import entry, record


def key(each: Entry) -> EntryKey:
    verdict = each.verdict
    return EntryKey(each.position, verdict.judge, verdict.model, verdict.repeat)


def filled(store: SqliteStore) -> str:
    """Three items by two models, twice each; kept in another order than that of the data."""
    run = record()
    store.start(run)
    kept = [
        entry(f"i{n}", n, model=model, repeat=repeat, outcome=outcome)
        for n in (2, 0, 1)
        for model, outcome in (("b", Outcome.SCORED), ("a", Outcome.REFUSED))
        for repeat in (1, 0)
    ]
    store.put(run.id, kept)
    return run.id


def test_pages_of_any_size_make_the_whole(store: SqliteStore) -> None:
    run = filled(store)
    whole = list(store.entries(run))
    assert len(whole) == 12
    for size in (1, 5, 12, 50):
        found: list[Entry] = []
        while page := store.some_entries(
            run, Wanted(after=key(found[-1]) if found else None, limit=size)
        ):
            assert len(page) <= size
            found += page
        assert found == whole


def test_filters_choose(store: SqliteStore) -> None:
    run = filled(store)
    scored = store.some_entries(run, Wanted(outcome="scored", limit=50))
    assert {each.verdict.model for each in scored} == {"b"}
    assert len(scored) == 6
    of_one = store.some_entries(run, Wanted(item="i1", outcome="refused", limit=50))
    assert [(each.item.id, each.verdict.repeat) for each in of_one] == [("i1", 0), ("i1", 1)]
    assert store.some_entries(run, Wanted(item="none", limit=50)) == []
    assert store.some_entries("none", Wanted(limit=50)) == []
