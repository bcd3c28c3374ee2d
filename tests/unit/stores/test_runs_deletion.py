"""What is left of a run once it is deleted: nothing of its texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kept import readable

from adjudge.core.item import Item
from adjudge.core.label import Label
from adjudge.core.reply import Reply
from adjudge.errors import Conflict, StoreError, UnknownName
from adjudge.stores import (
    Cost,
    Entry,
    KeptBatch,
    KeptJob,
    KeptReply,
    RunRecord,
    Store,
    open_store,
    tables,
)

from .conftest import entry, record

ONE, OTHER = record("one"), record("other")
TEXT = "a-text-of-somebody"


def telling(item: str, position: int = 0) -> Entry:
    """A verdict whose item holds the secret, too long for one page of the file."""
    made = entry(item, position)
    return made._replace(item=Item(item, {"answer": f"{TEXT} " * 500}, {}))


def filled(store: Store, run: RunRecord, items: int = 3) -> None:
    """Everything that can be kept of a run that has ended."""
    store.runs.start(run)
    store.verdicts.put(run.id, [telling(f"{TEXT} {n}", n) for n in range(items)])
    store.replies.put(
        [KeptReply(f"{run.id} {n}", run.id, "m", Reply(text=TEXT)) for n in range(items)]
    )
    store.batches.put(KeptBatch(f"label {run.id}", run.id, "m", 3))
    store.jobs.add(KeptJob(id=f"job {run.id}", spec={"title": TEXT}, run=run.id))
    store.runs.end(run.id, "finished")
    store.runs.start(run)  # asked for again
    store.runs.end(run.id, "finished")


def rows_about(store: Store, run: str) -> dict[str, int]:
    """By table, how many rows name the run."""
    with store.database.reading() as db:
        counts = {
            name: sum(run in str(row) for row in db.execute(sa.select(table)))
            for name, table in tables.metadata.tables.items()
        }
    return {name: count for name, count in counts.items() if count}


def test_nothing_of_it_is_left_but_the_note_that_it_is_gone(store: Store, tmp_path: Path) -> None:
    filled(store, ONE)
    assert all(TEXT.encode() in readable(file) for file in tmp_path.glob("*-wal"))
    assert store.runs.delete(ONE.id) == (ONE.id, 3, 3, 3)
    assert rows_about(store, ONE.id) == {"facts": 1, "deletions": 1}
    for file in tmp_path.iterdir():  # of SQLite alone
        assert TEXT.encode() not in readable(file), file.name
    assert store.runs.all() == []
    assert list(store.verdicts.facts(ONE.id)) == []
    assert store.runs.progress(ONE.id).verdicts == 0


def test_others_are_as_they_were(store: Store) -> None:
    filled(store, ONE)
    filled(store, OTHER)
    label = Label("1", "ann", "tone", 3.0)
    store.labels.put(ONE.manifest.data_hash, "chatbot", [label])
    before = [
        list(store.verdicts.entries(OTHER.id)),
        store.runs.all()[0],
        store.jobs.of_run(OTHER.id),
    ]
    store.runs.delete(ONE.id)
    assert [
        list(store.verdicts.entries(OTHER.id)),
        store.runs.all()[0],
        store.jobs.of_run(OTHER.id),
    ] == before
    assert store.replies.info().replies == 3
    assert len(store.labels.of(ONE.manifest.data_hash, "chatbot")) == 1


@settings(max_examples=10, deadline=None)
@given(paid=st.lists(st.sampled_from([ONE.id, OTHER.id, ""]), max_size=12))
def test_a_reply_goes_with_the_run_that_paid_for_it(
    new_store_url: Callable[[], str], paid: list[str]
) -> None:
    store = open_store(new_store_url())
    for run in (ONE, OTHER):
        store.runs.start(run)
        store.runs.end(run.id, "finished")
    keys = [str(n) for n in range(len(paid))]
    store.replies.put(
        [KeptReply(key, run, "m", Reply(text="x")) for key, run in zip(keys, paid, strict=True)]
    )
    assert store.runs.delete(ONE.id).replies == paid.count(ONE.id)
    left = {key for key, run in zip(keys, paid, strict=True) if run != ONE.id}
    assert store.replies.have(keys) == left
    store.close()


def test_a_run_that_somebody_works_on_stays(store: Store, store_url: str) -> None:
    worker = open_store(store_url)
    worker.runs.start(ONE)
    worker.verdicts.put(ONE.id, [telling("a")])
    for each in (worker, store):
        with pytest.raises(Conflict, match="is under way"):
            each.runs.delete(ONE.id)
    assert len(store.items.ids(ONE.id)) == 1
    worker.close()  # as if it had been killed
    assert store.runs.delete(ONE.id).verdicts == 1


def test_a_run_that_a_service_has_in_hand_stays(store: Store) -> None:
    filled(store, ONE)
    assert store.jobs.claim(ONE.id)
    store.runs.end(ONE.id, "interrupted")  # stopped, but replies may still be under way
    with pytest.raises(Conflict):
        store.runs.delete(ONE.id)
    store.jobs.release(ONE.id)
    store.runs.delete(ONE.id)
    assert store.jobs.open() == []


def test_a_run_is_named_in_full(store: Store) -> None:
    filled(store, ONE)
    for name in (ONE.id[:-1], "latest", "", OTHER.id):
        with pytest.raises(UnknownName, match="whole id"):
            store.runs.delete(name)
    assert store.runs.find("latest").id == ONE.id


def test_who_was_busy_with_it_keeps_nothing_more(store: Store) -> None:
    filled(store, ONE)
    store.runs.delete(ONE.id)
    with pytest.raises(StoreError, match="was deleted meanwhile"):
        store.verdicts.put(ONE.id, [telling("late")])
    with pytest.raises(StoreError, match="was deleted meanwhile"):
        store.runs.spend(ONE.id, Cost(1, 0.1))
    assert store.items.ids(ONE.id) == []


def test_the_same_run_can_be_begun_anew(store: Store) -> None:
    filled(store, ONE)
    mark = store.verdicts.version(ONE.id)
    store.runs.delete(ONE.id)
    assert store.runs.start(ONE) is False
    store.verdicts.put(ONE.id, [entry("b")])
    store.runs.spend(ONE.id, Cost(1, 0.5))
    assert store.runs.find(ONE.id).tokens == 1
    assert store.items.ids(ONE.id) == ["b"]
    assert [list(each.items) for each in store.verdicts.facts(ONE.id)] == [["b"]]
    assert (
        store.verdicts.version(ONE.id) > mark
    )  # what was remembered of the first is not taken for this


def test_a_long_reader_does_not_hold_it_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.stores.dialects.sqlite._LOG_PATIENCE", 50)
    filled(store, ONE)
    filled(store, OTHER)
    reading = store.verdicts.entries(OTHER.id)
    next(reading)
    assert store.runs.delete(ONE.id).items == 3
    assert len(list(reading)) == 2
