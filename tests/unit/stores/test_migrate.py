"""Older stores are taken along, newer ones refused; both ways lead to the same tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from adjudge.core.score import Outcome
from adjudge.errors import StoreError
from adjudge.stores import migrate, tables
from adjudge.stores.database import Database
from adjudge.stores.records import Progress
from adjudge.stores.sqlite import SqliteStore

from .conftest import entry, record

# A store as it was before replies were kept by request.
FIRST = """
CREATE TABLE meta (key VARCHAR NOT NULL PRIMARY KEY, value VARCHAR NOT NULL);
CREATE TABLE runs (id VARCHAR NOT NULL PRIMARY KEY, state VARCHAR NOT NULL,
  started VARCHAR NOT NULL, ended VARCHAR, rows INTEGER NOT NULL, bad_rows INTEGER NOT NULL,
  manifest BLOB NOT NULL, sources BLOB NOT NULL);
CREATE TABLE items (run VARCHAR NOT NULL, item VARCHAR NOT NULL, position INTEGER NOT NULL,
  content BLOB NOT NULL, PRIMARY KEY (run, item));
CREATE INDEX items_in_order ON items (run, position);
CREATE TABLE verdicts (run VARCHAR NOT NULL, item VARCHAR NOT NULL, judge VARCHAR NOT NULL,
  model VARCHAR NOT NULL, repeat INTEGER NOT NULL, outcome VARCHAR NOT NULL, content BLOB NOT NULL,
  PRIMARY KEY (run, item, judge, model, repeat));
"""


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """An old store with one run and two verdicts."""
    newer = SqliteStore(tmp_path / "newer.db")
    newer.start(record())
    newer.put(record().id, [entry("a", 0), entry("b", 1)])
    newer.close()
    path = tmp_path / "first.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(FIRST)
        db.execute("ATTACH ? AS newer", [str(tmp_path / "newer.db")])
        columns = "id, state, started, ended, rows, bad_rows, manifest, sources"
        db.execute(f"INSERT INTO runs SELECT {columns} FROM newer.runs")  # noqa: S608
        for table in ("items", "verdicts"):
            db.execute(f"INSERT INTO {table} SELECT * FROM newer.{table}")  # noqa: S608
        db.execute("INSERT INTO meta VALUES ('version', '1'), ('secret', ?)", ["ab" * 32])
        db.commit()
    return path


def test_an_old_store_keeps_everything(first: Path) -> None:
    store = SqliteStore(first)
    assert store.secret == b"\xab" * 32
    assert [each.item.id for each in store.entries(record().id)] == ["a", "b"]
    assert store.find("latest").tokens == 0
    assert store.find("latest").state == "interrupted"  # whoever began it is not known, nor there
    assert store.replies.info().replies == 0
    assert store.labels.of("0f", "chatbot") == []
    assert store.calibrations.latest("chatbot", "replay:x") is None
    store.close()
    SqliteStore(first).close()  # a second time there is nothing to do


def test_an_old_store_gets_the_figures_that_a_new_one_has(first: Path, tmp_path: Path) -> None:
    old, new = SqliteStore(first), SqliteStore(tmp_path / "newer.db")
    assert list(old.facts(record().id)) == list(new.facts(record().id)) != []
    assert (
        old.progress(record().id) == new.progress(record().id) == Progress(2, {"out_of_range": 2})
    )
    # And both go on to count alike.
    for store in (old, new):
        store.put(record().id, [entry("a", 0, outcome=Outcome.SCORED), entry("c", 2)])
        assert store.progress(record().id).outcomes == {"out_of_range": 2, "scored": 1}
        assert store.mark(record().id) == 2
        store.close()


def differences(path: Path) -> list[object]:
    database = Database(path)
    with database.reading() as db:
        options = {"include_name": lambda name, kind, _: name != "alembic_version"}
        context = MigrationContext.configure(db, opts=options)
        found = list(compare_metadata(context, tables.metadata))
    database.close()
    return found


def test_both_ways_lead_to_the_same_tables(first: Path, tmp_path: Path) -> None:
    SqliteStore(first).close()
    SqliteStore(tmp_path / "fresh.db").close()
    assert differences(first) == differences(tmp_path / "fresh.db") == []


def test_the_noted_revision_is_the_last_step() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).with_name("migrations")))
    assert ScriptDirectory.from_config(config).get_heads() == [tables.REVISION]


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    SqliteStore(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.commit()
    with pytest.raises(StoreError, match="store revision 9999"):
        SqliteStore(path)


def test_a_step_that_fails_leaves_the_old_store(
    first: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alembic import command

    whole = command.upgrade

    def half(config: Config, revision: str) -> None:
        whole(config, revision)
        raise RuntimeError("power cut")

    monkeypatch.setattr(command, "upgrade", half)
    with pytest.raises(RuntimeError):
        SqliteStore(first)
    monkeypatch.undo()
    with closing(sqlite3.connect(first)) as db:
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    assert "replies" not in names
    test_an_old_store_keeps_everything(first)


def test_two_that_open_a_new_store_at_once(tmp_path: Path) -> None:
    """The second waits for the first one's tables."""
    from threading import Thread

    opened: list[SqliteStore] = []
    threads = [
        Thread(target=lambda: opened.append(SqliteStore(tmp_path / "store.db"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({store.secret for store in opened}) == 1
    assert len(opened) == 8
    for store in opened:
        store.close()


def test_versions_are_noted_as_alembic_does(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "store.db").close()
    database = Database(tmp_path / "store.db")
    with database.reading() as db:
        assert MigrationContext.configure(db).get_current_revision() == tables.REVISION
        assert sa.inspect(db).get_pk_constraint("alembic_version")["constrained_columns"] == [
            "version_num"
        ]
    database.close()
