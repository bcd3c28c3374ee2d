"""What is left of a run once it is deleted: nothing of its texts."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.item import Item
from adjudge.core.label import Label
from adjudge.core.reply import Reply
from adjudge.errors import Conflict, StoreError, UnknownName
from adjudge.stores.records import Cost, Entry, KeptBatch, KeptJob, KeptReply, RunRecord
from adjudge.stores.sqlite import SqliteStore

from .conftest import entry, record

ONE, OTHER = record("one"), record("other")
TEXT = "a-text-of-somebody"


def telling(item: str, position: int = 0) -> Entry:
    """A verdict whose item holds the secret, too long for one page of the file."""
    made = entry(item, position)
    return made._replace(item=Item(item, {"answer": f"{TEXT} " * 500}, {}))


def filled(store: SqliteStore, run: RunRecord, items: int = 3) -> None:
    """Everything that can be kept of a run that has ended."""
    store.start(run)
    store.put(run.id, [telling(f"{TEXT} {n}", n) for n in range(items)])
    store.replies.put(
        [KeptReply(f"{run.id} {n}", run.id, "m", Reply(text=TEXT)) for n in range(items)]
    )
    store.batches.put(KeptBatch(f"label {run.id}", run.id, "m", 3))
    store.jobs.add(KeptJob(id=f"job {run.id}", spec={"title": TEXT}, run=run.id))
    store.end(run.id, "finished")
    store.start(run)  # asked for again
    store.end(run.id, "finished")


def rows_about(path: Path, run: str) -> dict[str, int]:
    """By table, how many rows name the run."""
    with closing(sqlite3.connect(path)) as db:
        names = [
            name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        told = {
            name: sum(run in str(row) for row in db.execute(f"SELECT * FROM {name}"))  # noqa: S608
            for name in names
        }
    return {name: count for name, count in told.items() if count}


def test_nothing_of_it_is_left_but_the_note_that_it_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(path)
    filled(store, ONE)
    assert store.delete(ONE.id) == (ONE.id, 3, 3, 3)
    assert rows_about(path, ONE.id) == {"facts": 1, "meta": 1}
    for file in tmp_path.iterdir():
        assert TEXT.encode() not in file.read_bytes(), file.name
    assert store.runs() == []
    assert list(store.facts(ONE.id)) == []
    assert store.progress(ONE.id).verdicts == 0
    store.close()


def test_others_are_as_they_were(store: SqliteStore) -> None:
    filled(store, ONE)
    filled(store, OTHER)
    label = Label("1", "ann", "tone", 3.0)
    store.labels.put(ONE.manifest.data_hash, "chatbot", [label])
    before = [list(store.entries(OTHER.id)), store.runs()[0], store.jobs.of_run(OTHER.id)]
    store.delete(ONE.id)
    assert [list(store.entries(OTHER.id)), store.runs()[0], store.jobs.of_run(OTHER.id)] == before
    assert store.replies.info().replies == 3
    assert len(store.labels.of(ONE.manifest.data_hash, "chatbot")) == 1


@settings(max_examples=10, deadline=None)
@given(paid=st.lists(st.sampled_from([ONE.id, OTHER.id, ""]), max_size=12))
def test_a_reply_goes_with_the_run_that_paid_for_it(
    tmp_path_factory: pytest.TempPathFactory, paid: list[str]
) -> None:
    store = SqliteStore(tmp_path_factory.mktemp("law") / "store.db")
    for run in (ONE, OTHER):
        store.start(run)
        store.end(run.id, "finished")
    keys = [str(n) for n in range(len(paid))]
    store.replies.put(
        [KeptReply(key, run, "m", Reply(text="x")) for key, run in zip(keys, paid, strict=True)]
    )
    assert store.delete(ONE.id).replies == paid.count(ONE.id)
    left = {key for key, run in zip(keys, paid, strict=True) if run != ONE.id}
    assert store.replies.have(keys) == left
    store.close()


def test_a_run_that_somebody_works_on_stays(tmp_path: Path) -> None:
    worker, store = SqliteStore(tmp_path / "store.db"), SqliteStore(tmp_path / "store.db")
    worker.start(ONE)
    worker.put(ONE.id, [telling("a")])
    for each in (worker, store):
        with pytest.raises(Conflict, match="is under way"):
            each.delete(ONE.id)
    assert len(store.item_ids(ONE.id)) == 1
    worker.close()  # as if it had been killed
    assert store.delete(ONE.id).verdicts == 1
    store.close()


def test_a_run_that_a_service_has_in_hand_stays(store: SqliteStore) -> None:
    filled(store, ONE)
    assert store.jobs.claim(ONE.id)
    store.end(ONE.id, "interrupted")  # stopped, but replies may still be under way
    with pytest.raises(Conflict):
        store.delete(ONE.id)
    store.jobs.give_up(ONE.id)
    store.delete(ONE.id)
    assert store.jobs.open() == []


def test_a_run_is_named_in_full(store: SqliteStore) -> None:
    filled(store, ONE)
    for name in (ONE.id[:-1], "latest", "", OTHER.id):
        with pytest.raises(UnknownName, match="whole id"):
            store.delete(name)
    assert store.find("latest").id == ONE.id


def test_who_was_busy_with_it_keeps_nothing_more(store: SqliteStore) -> None:
    filled(store, ONE)
    store.delete(ONE.id)
    with pytest.raises(StoreError, match="was deleted meanwhile"):
        store.put(ONE.id, [telling("late")])
    with pytest.raises(StoreError, match="was deleted meanwhile"):
        store.spend(ONE.id, Cost(1, 0.1))
    assert store.item_ids(ONE.id) == []


def test_the_same_run_can_be_begun_anew(store: SqliteStore) -> None:
    filled(store, ONE)
    mark = store.mark(ONE.id)
    store.delete(ONE.id)
    assert store.start(ONE) is False
    store.put(ONE.id, [entry("b")])
    store.spend(ONE.id, Cost(1, 0.5))
    assert store.find(ONE.id).tokens == 1
    assert store.item_ids(ONE.id) == ["b"]
    assert [list(each.items) for each in store.facts(ONE.id)] == [["b"]]
    assert store.mark(ONE.id) > mark  # what was remembered of the first is not taken for this


def test_a_long_reader_does_not_hold_it_up(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.stores.database._LOG_PATIENCE", 50)
    filled(store, ONE)
    filled(store, OTHER)
    reading = store.entries(OTHER.id)
    next(reading)
    assert store.delete(ONE.id).items == 3
    assert len(list(reading)) == 2
