from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.errors import StoreError, UsageError
from adjudge.stores import Cost, KeptReply, Store, open_store, runs
from adjudge.stores.dialects import sqlite

from .conftest import entry, record

KEY = ("chatbot", "replay:x", 0)


def test_a_run_comes_back(store: Store) -> None:
    run = record()
    assert store.runs.start(run) is False
    found = store.runs.find(run.id)
    assert found.manifest == run.manifest
    assert (found.sources, found.rows, found.state) == (run.sources, 3, "running")
    store.runs.end(run.id, "finished")
    ended = store.runs.find(run.id)
    assert ended.state == "finished"
    assert ended.ended is not None
    assert ended.ended >= ended.started


def test_a_run_goes_on(store: Store) -> None:
    run = record()
    store.runs.start(run)
    store.runs.end(run.id, "interrupted")
    assert store.runs.start(run) is True
    assert store.runs.find(run.id).state == "running"
    assert len(store.runs.all()) == 1


def test_entries_in_the_order_of_the_data(store: Store) -> None:
    run = record()
    store.runs.start(run)
    entries = [entry(f"item {n}", n) for n in range(1200)]
    store.verdicts.put(run.id, entries[600:])
    store.verdicts.put(run.id, entries[:600])
    assert list(store.verdicts.entries(run.id)) == entries
    assert store.items.ids(run.id) == [each.item.id for each in entries]
    assert list(store.verdicts.entries(run.id, "item 7")) == [entries[7]]
    assert list(store.verdicts.entries(run.id, "none")) == []


def test_a_later_verdict_takes_the_place_of_a_failed_one(store: Store) -> None:
    run = record()
    store.runs.start(run)
    store.verdicts.put(run.id, [entry(outcome=Outcome.PROVIDER_ERROR)])
    assert store.verdicts.answered(run.id, KEY, ["1"]) == set()
    assert store.runs.count_answered(run.id) == 0
    store.verdicts.put(run.id, [entry()])
    assert store.verdicts.answered(run.id, KEY, ["1", "2"]) == {"1"}
    assert store.runs.count_answered(run.id) == 1
    assert [each.verdict.outcome for each in store.verdicts.entries(run.id)] == [
        Outcome.OUT_OF_RANGE
    ]


@pytest.mark.parametrize("other", [("x", "replay:x", 0), ("chatbot", "x", 0), ("chatbot", "x", 1)])
def test_answers_are_told_apart(store: Store, other: tuple[str, str, int]) -> None:
    run = record()
    store.runs.start(run)
    store.verdicts.put(run.id, [entry()])
    assert store.verdicts.answered(run.id, other, ["1"]) == set()
    assert store.verdicts.answered("another", KEY, ["1"]) == set()


@pytest.mark.parametrize("outcome", sorted(Outcome))
def test_which_outcomes_are_answers(store: Store, outcome: Outcome) -> None:
    store.verdicts.put("run", [entry(outcome=outcome)])
    unanswered = {Outcome.PROVIDER_ERROR, Outcome.BUDGET_STOPPED}
    assert store.verdicts.answered("run", KEY, ["1"]) == (set() if outcome in unanswered else {"1"})


def test_find(store: Store) -> None:
    with pytest.raises(UsageError, match="holds no run yet"):
        store.runs.find("latest")
    runs = [record(str(n)) for n in range(30)]
    for run in runs:
        store.runs.start(run)
    assert store.runs.find(runs[3].id) == store.runs.find(runs[3].id[:9])
    with pytest.raises(UsageError, match="runs begin with"):
        store.runs.find(_shared_beginning([run.id for run in runs]))
    with pytest.raises(UsageError, match="there is no run 'zzz'"):
        store.runs.find("zzz")


def _shared_beginning(ids: list[str]) -> str:
    return next(one[0] for one in ids if sum(other[0] == one[0] for other in ids) > 1)


def test_one_is_found_without_reading_all(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service looks one up for every page; the others' judges would fill its memory."""
    for salt in "ab":
        store.runs.start(record(salt))
    monkeypatch.setattr(store.runs, "all", lambda: pytest.fail("all were read"))
    assert store.runs.find(record("a").id).id == record("a").id


def test_the_latest_is_the_one_that_went_on_last(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(f"2030-01-01T00:00:0{n}.000+00:00" for n in range(9))
    monkeypatch.setattr(runs, "now", lambda: next(times))
    first, second = record("1"), record("2")
    for run in (first, second, first):
        store.runs.start(run)
        store.runs.end(run.id, "finished")
    assert store.runs.find("latest").id == first.id


def test_a_run_that_has_all_its_answers_keeps_its_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(f"2030-01-01T00:00:0{n}.000+00:00" for n in range(9))
    monkeypatch.setattr(runs, "now", lambda: next(times))
    run = record("1")
    assert not store.runs.start(run)
    store.runs.end(run.id, "finished")
    before = store.runs.find(run.id)
    assert store.runs.start(run)
    assert store.runs.find(run.id) == before
    store.verdicts.put(run.id, [entry(outcome=Outcome.PROVIDER_ERROR)])
    store.runs.start(run)  # one is to be asked for once more
    assert (store.runs.find(run.id).state, store.runs.find(run.id).ended) == ("running", None)


class TestOpening:
    def test_the_secret_stays(self, store: Store, store_url: str, tmp_path: Path) -> None:
        again = open_store(store_url)
        assert again.secret == store.secret
        assert len(store.secret) == 32
        other = open_store(tmp_path / "other.db")
        assert other.secret != store.secret
        again.close()
        other.close()

    def test_folders_are_made(self, tmp_path: Path) -> None:
        open_store(tmp_path / "a" / ".adjudge" / "x.db").close()
        assert (tmp_path / "a" / ".adjudge" / ".gitignore").read_text() == "*\n"

    @pytest.mark.parametrize("name", ["a?b%20#.db", "ü 漢 'x'.db", ":memory:"])
    def test_odd_paths(self, tmp_path: Path, name: str) -> None:
        open_store(tmp_path / name).close()
        assert (tmp_path / name).stat().st_size > 0

    def test_no_database(self, tmp_path: Path) -> None:
        path = tmp_path / "x.db"
        path.write_text("this is no database " * 50)
        with pytest.raises(StoreError, match=r"x\.db: file is not a database.*--store"):
            open_store(path)

    def test_below_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(StoreError, match="--store"):
            open_store(tmp_path / "file" / "x.db")
        with pytest.raises(StoreError, match="--store"):
            open_store(tmp_path / "file" / "deep" / "x.db")


class TestLocked:
    @pytest.fixture
    def writer(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sqlite3.Connection:
        """Another process's transaction, which does not end."""
        open_store(tmp_path / "store.db").close()
        monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
        db = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
        db.execute("BEGIN IMMEDIATE")
        return db

    def test_writing_says_so(self, tmp_path: Path, writer: sqlite3.Connection) -> None:
        opened = open_store(tmp_path / "store.db")
        with pytest.raises(StoreError, match="Another process is writing"):
            opened.runs.start(record())
        writer.close()
        assert opened.runs.start(record()) is False
        opened.close()

    def test_reading_goes_on(self, tmp_path: Path, writer: sqlite3.Connection) -> None:
        opened = open_store(tmp_path / "store.db")
        assert opened.runs.all() == []
        opened.close()
        writer.close()


def test_extra_columns_stay_with_the_item(store: Store) -> None:
    odd = replace(entry().item, extra={"when": "2024", "n": 1.5, "deep": {"a": [True]}})
    store.verdicts.put("run", [entry()._replace(item=odd)])
    (found,) = store.verdicts.entries("run")
    assert found.item.extra == odd.extra


def test_what_a_run_spends_adds_up(store: Store, other: Store) -> None:
    run = record()
    store.runs.start(run)
    store.runs.spend(run.id, Cost(100, 0.5))
    other.runs.spend(run.id, Cost(20, 0.25))  # another process on the same run
    store.runs.start(run)  # going on does not begin at zero
    found = store.runs.find(run.id)
    assert (found.tokens, found.usd) == (120, 0.75)


def test_what_is_written_together_is_one_commit(store: Store) -> None:
    run = record()
    store.runs.start(run)
    with suppress(RuntimeError), store.transaction():
        store.verdicts.put(run.id, [entry("a")])
        store.replies.put([KeptReply("k", run.id, "m", Reply(text="x"))])
        raise RuntimeError
    assert list(store.verdicts.entries(run.id)) == []
    assert store.replies.have(["k"]) == set()


def test_recent_verdicts(store: Store) -> None:
    store.verdicts.put("run", [entry("a"), entry("b", outcome=Outcome.PROVIDER_ERROR)])
    assert [each.item for each in store.verdicts.recent("chatbot", "replay:x")] == ["a"]
    assert store.verdicts.recent("chatbot", "another") == []
