"""A store where this process may not write, as on a read-only mount, can still be looked at."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.commands import Command
from tests.unit.stores.conftest import entry, record

from adjudge.core.score import Outcome, Score
from adjudge.errors import StoreError
from adjudge.judges import builtin
from adjudge.stores import open_store
from adjudge.stores.database import driver_of
from adjudge.stores.dialects import sqlite
from adjudge.stores.items import _IN_RUNS
from adjudge.stores.verdicts import _of_run

NOBODY = 65534


@contextmanager
def closed_to_us(folder: Path) -> Iterator[None]:
    """Nothing in the folder can be changed; an administrator is somebody else meanwhile."""
    files = list(folder.iterdir())
    for each in files:
        each.chmod(0o444)
    folder.chmod(0o555)
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)
        folder.chmod(0o755)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not below pytest's own, which nobody else may enter."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def path(folder: Path) -> Path:
    """A store with one run, closed."""
    path = folder / "runs.db"
    store = open_store(path)
    judge = Path(builtin.__file__).with_name("chatbot.yaml").read_text("utf-8")
    store.runs.start(replace(record(), sources={"chatbot": {"text": judge}}))
    score = Score(outcome=Outcome.SCORED, value=5.0, unit=0.5)
    store.verdicts.put(record().id, [entry(scores={"accuracy": score})])
    store.runs.end(record().id, "finished")
    store.close()
    return path


def test_it_can_be_read(path: Path) -> None:
    with closed_to_us(path.parent):
        store = open_store(str(path), must_exist=True)
        assert store.runs.find("latest").id == record().id
        assert len(list(store.verdicts.all(record().id))) == 1
        store.close()
    assert [each.name for each in path.parent.iterdir()] == ["runs.db"]


def test_what_stands_in_its_log_alone_can_be_read_too(path: Path, folder: Path) -> None:
    writer = open_store(path)
    writer.runs.start(record("more"))
    copy = folder / "copy"
    copy.mkdir()
    for each in folder.glob("runs.db*"):
        shutil.copy(each, copy)
    writer.close()
    with closed_to_us(copy):
        store = open_store(str(copy / "runs.db"))
        assert {run.id for run in store.runs.all()} == {record().id, record("more").id}
        store.close()


def test_a_log_without_its_index_is_told_of(path: Path, folder: Path) -> None:
    writer = open_store(path)
    writer.runs.start(record("more"))
    copy = folder / "copy"
    copy.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(f"{path}{ending}", copy)
    writer.close()
    with closed_to_us(copy), pytest.raises(StoreError, match="copy the store"):
        open_store(str(copy / "runs.db"))


def test_writing_says_what_is_possible(path: Path) -> None:
    with closed_to_us(path.parent):
        store = open_store(str(path))
        with pytest.raises(StoreError, match="listed, shown and exported") as told:
            store.runs.end(record().id, "failed")
        assert "disk" not in str(told.value)
        store.close()


@pytest.mark.parametrize(
    "command",
    [["runs"], ["show", "latest"], ["export", "latest", "-o", "out.jsonl", "-o", "out.csv"]],
    ids=lambda command: command[0],
)
def test_the_commands_that_only_look(
    command: list[str], path: Path, adjudge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "may_write", lambda _: False)
    before = path.read_bytes()
    ended = adjudge(*command, "--store", str(path))
    assert ended.code == 0, ended.err
    assert [each.name for each in path.parent.iterdir()] == ["runs.db"]
    assert path.read_bytes() == before


def test_the_texts_of_a_run_are_not_sorted(tmp_path: Path) -> None:
    """Their items' index has them in order: the first page of a million verdicts is there at
    once."""
    with closing(open_store(tmp_path / "s.db")) as store, store.database.reading() as db:
        query = _of_run("r").limit(100)
        words = query.compile(db.engine, compile_kwargs={"literal_binds": True})
        plan = [row[3] for row in db.execute(sa.text(f"EXPLAIN QUERY PLAN {words}"))]
    assert plan[0] == "SEARCH items USING INDEX items_in_order (run=? AND position>?)"
    assert "USE TEMP B-TREE FOR ORDER BY" not in plan


def test_an_item_is_looked_up_in_each_run(tmp_path: Path) -> None:
    """By its index: a join would read all items of all runs."""
    with closing(open_store(tmp_path / "s.db")) as store, store.database.reading() as db:
        text = _IN_RUNS.compiled(db.dialect).text
        plan = driver_of(db).execute(f"EXPLAIN QUERY PLAN {text}", ("item",)).fetchall()
    assert plan[0][3].startswith("SEARCH items USING INDEX")
    assert "(run=? AND item=?)" in plan[0][3]
