"""Older stores are taken along, newer ones refused; both ways lead to the same tables."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from tests.commands import Command

from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.errors import StoreError
from adjudge.stores import Cost, Store, migrate, open_store, tables
from adjudge.stores.codec import encode_reply
from adjudge.stores.dialects.sqlite import SqliteDatabase
from adjudge.stores.facts import Key

from .conftest import entry

DATA = Path(__file__).parents[2] / "data/earlier_store"
# From each revision to the one before, as the stores of those days were.
BACK = {
    "0005": ["DROP TABLE reservations"],
    "0004": ["DROP TABLE workers", "ALTER TABLE owners DROP COLUMN ticks"],
    "0003": [
        *("DROP TRIGGER tally_new", "DROP TRIGGER tally_newer", "DROP TABLE tallies"),
        *("DROP TABLE facts", "DROP TABLE tokens", "DROP TABLE jobs", "DROP TABLE probes"),
    ],
    "0002": ["DROP TABLE labels", "DROP TABLE calibrations"],
    "0001": [
        *("DROP TABLE replies", "DROP TABLE claims", "DROP TABLE owners", "DROP TABLE batches"),
        "ALTER TABLE runs DROP COLUMN tokens",
        "ALTER TABLE runs DROP COLUMN usd",
        "DROP TABLE alembic_version",  # revisions were not noted then
    ],
}
REVISIONS = ["0006", *BACK]


def earlier(path: Path, revision: str = "0006") -> Path:
    """A store as it was made before the first migration, brought back to a revision."""
    path.write_bytes(gzip.decompress((DATA / "store.db.gz").read_bytes()))
    with closing(sqlite3.connect(path)) as db:
        for older, statements in BACK.items():
            if older < revision:
                break
            if older > "0001":
                db.execute("UPDATE alembic_version SET version_num = ?", [older])
            for statement in statements:
                db.execute(statement)
        db.commit()
    return path


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return earlier(tmp_path / "first.db", "0001")


def holds(after: object, before: object) -> bool:
    """Whether all of `before` is there; an object may have keys more."""
    if isinstance(before, dict) and isinstance(after, dict):
        return all(name in after and holds(after[name], value) for name, value in before.items())
    if isinstance(before, list) and isinstance(after, list):
        return len(after) == len(before) and all(map(holds, after, before))
    return type(after) is type(before) and after == before


def test_an_export_gives_the_same_values_as_before(adjudge: Command, tmp_path: Path) -> None:
    """The rows of all runs, as the version before the first migration wrote them."""
    path = str(earlier(tmp_path / "store.db"))
    before: dict[str, list[Any]] = {}
    for line in gzip.decompress((DATA / "export.jsonl.gz").read_bytes()).splitlines():
        row = json.loads(line)
        before.setdefault(row["run"], []).append(row)
    assert len(before) == 9
    for run, rows in before.items():
        ended = adjudge("export", run, "-o", "rows.jsonl", "--with-inputs", "--store", path)
        assert ended.code == 0
        after = [json.loads(line) for line in Path("rows.jsonl").read_bytes().splitlines()]
        assert len(after) == len(rows)
        for new, old in zip(after, rows, strict=True):
            assert holds(new, old), (new, old)


def test_a_cascade_is_found_in_its_own_table(adjudge: Command, tmp_path: Path) -> None:
    path = earlier(tmp_path / "store.db")
    before = json.loads((DATA / "cascade.json").read_bytes())
    assert holds(adjudge("cascade", before["run"], "--store", str(path), "--json").json, before)
    store = open_store(path)
    kept = store.cascades.find(before["run"])
    assert kept is not None
    assert [stage["model"] for stage in kept["stages"]] == ["openai/small", "openai/large"]
    assert store.calibrations.latest("politeness", f"cascade {before['run']}") is None
    assert store.calibrations.latest("politeness", "replay:polite.replay.jsonl") is not None
    store.close()


def test_what_was_noted_beside_the_runs_is_kept(tmp_path: Path) -> None:
    store = open_store(earlier(tmp_path / "store.db"))
    records = {record.manifest.models: record for record in store.runs.all()}
    text = records[("replay:kind.replay.jsonl",)]
    broken, dear = records[("openai/broken",)], records[("openai/dear",)]
    assert store.runs.all()[0] == text  # it was asked for again, after all others
    assert broken.state == "interrupted"  # whoever worked on it is long gone
    assert store.reservations.held_by(dear.id, "label 1") == (20, 0.1)
    assert store.reservations.orphaned(broken.id) == (0, 0.0)
    assert [batch.batch for batch in store.batches.open_of(broken.id, "openai/broken")] == [
        "batch_1"
    ]
    assert [job.id for job in store.jobs.open()] == ["j1"]
    assert [(token.name, bool(token.revoked)) for token in store.tokens.all()] == [
        ("ci", False),
        ("old", True),
    ]
    data = records[("replay:polite.replay.jsonl",)].manifest.data_hash
    assert store.labels.counts(data, "politeness") == (24, 12, 2)
    assert [label.rater for label in store.labels.of(data, "politeness")[:3]] == [
        *("ann", "bob", "ann")
    ]
    assert store.probes.latest("politeness", "openai/probed") is not None
    assert store.replies.info().replies == 288
    with pytest.raises(StoreError, match="deleted meanwhile"):
        store.runs.spend("d8d34d4661ff", Cost(1))
    store.close()


def contents(path: Path) -> dict[str, list[Any]]:
    """What every store has had, whatever its revision."""
    columns = {
        "runs": "id, state, started, rows, bad_rows, manifest, sources",
        "items": "*",
        "verdicts": "*",
        "tallies": "*",
        "meta": "*",
    }
    with closing(sqlite3.connect(path)) as db:
        return {
            table: [row for row in db.execute(query) if row[0] != "id"]  # that of a store is new
            for table, names in columns.items()
            for query in [f"SELECT {names} FROM {table} ORDER BY 1, 2"]  # noqa: S608
        }


def figures(store: Store) -> dict[str, dict[Key, bytes]]:
    """By run, those of each verdict."""
    found: dict[str, dict[Key, bytes]] = {}
    for run in store.runs.all():
        cells = found.setdefault(run.id, {})
        for facts in store.verdicts.facts(run.id):
            width = len(facts.cells) // len(facts.items)
            for n, item in enumerate(facts.items):
                key = facts.judge, facts.model, facts.repeat, item
                cells[key] = bytes(facts.cells[n * width : (n + 1) * width])
    return found


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_revision_is_taken_along(revision: str, tmp_path: Path) -> None:
    newest, older = earlier(tmp_path / "newest.db"), earlier(tmp_path / "older.db", revision)
    for path in (newest, older):
        open_store(path).close()
    assert contents(older) == contents(newest)
    old, new = open_store(older), open_store(newest)  # a second time there is nothing to do
    assert old.secret == new.secret
    assert figures(old) == figures(new) != {}
    (one,) = (run for run in old.runs.all() if run.manifest.models == ("openai/broken",))
    # And both go on to count alike.
    for store in (old, new):
        before = store.verdicts.version(one.id)
        store.verdicts.put(one.id, [entry("i1", 1), entry("more", 99, outcome=Outcome.REFUSED)])
        assert store.verdicts.version(one.id) == before + 1
    assert old.runs.progress(one.id) == new.runs.progress(one.id)
    assert old.runs.progress(one.id).outcomes["refused"] == 1
    old.close()
    new.close()


def test_no_step_imports_what_may_change() -> None:
    for step in Path(migrate.__file__).parent.joinpath("migrations").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) (adjudge|\.)", step.read_text(), re.MULTILINE), (
            step
        )


def differences(path: Path) -> list[object]:
    database = SqliteDatabase(path)
    with database.reading() as db:
        options = {"include_name": lambda name, kind, _: name != "alembic_version"}
        context = MigrationContext.configure(db, opts=options)
        found = list(compare_metadata(context, tables.metadata))
    database.close()
    return found


def schema(path: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT name, coalesce(sql, '') FROM sqlite_master")
        return {(name, "".join(sql.split()).replace('"', "")) for name, sql in rows}


@pytest.mark.parametrize("revision", [None, *REVISIONS])
def test_both_ways_lead_to_the_same_tables(revision: str | None, tmp_path: Path) -> None:
    """Without a revision: an empty file, to which Alembic alone is let."""
    fresh, other = tmp_path / "fresh.db", tmp_path / "other.db"
    open_store(fresh).close()
    if revision is None:
        engine = sa.create_engine(f"sqlite:///{other}")
        with engine.begin() as db:
            migrate._upgrade(db, "0001", "a new one")
        engine.dispose()
    else:
        open_store(earlier(other, revision)).close()
    assert differences(fresh) == differences(other) == []
    counters = {name for name, _ in schema(other) if name.startswith("tally")}
    assert counters == {"tally_new", "tally_newer"}
    assert {row for row in schema(other) if row[0] in counters} <= schema(fresh)


def older(db: sa.Connection) -> None:
    """Brings the tables of a new store back to revision 0007."""
    for table in (tables.uploads, tables.copies, tables.replies, tables.label_plans):
        table.drop(db)
    text = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    sa.Table(
        "replies",
        sa.MetaData(),
        sa.Column("key", text, primary_key=True),
        *(sa.Column(name, text, nullable=False) for name in ("run", "model", "kept")),
        sa.Column("content", sa.LargeBinary, nullable=False),
    ).create(db)
    db.execute(sa.text("ALTER TABLE labels DROP COLUMN comment"))
    db.execute(sa.text("UPDATE alembic_version SET version_num = '0007'"))


def test_a_store_of_an_earlier_revision_is_taken_along(store_url: str) -> None:
    """By the same steps, whatever the database; a reply is found by the key that it had."""
    hashed, named = "ab" * 32, "a key"
    content = encode_reply(Reply(text="안녕", latency_ms=2.0))
    put = "INSERT INTO replies VALUES (:key, 'run', 'm', '2026', :content)"
    with closing(open_store(store_url)) as store, store.database.writing() as db:
        older(db)
        for key in (hashed, named):
            db.execute(sa.text(put), {"key": key, "content": content})
    with closing(open_store(store_url)) as store:
        with store.database.reading() as db:
            assert migrate.revision_of(db, "") == tables.REVISION
            assert db.execute(sa.select(tables.copies)).all() == []
            assert set(sa.inspect(db).get_table_names()) >= set(tables.metadata.tables)
        kept = store.replies.claim([hashed, named, "cd" * 32]).kept
        assert {key: reply.reply.text for key, reply in kept.items()} == {
            hashed: "안녕",
            named: "안녕",
        }


def test_what_was_kept_before_rows_were_packed_is_read(adjudge: Command, tmp_path: Path) -> None:
    """Of a store that the last version before it made: runs with all texts, and with fewer. New
    rows stand beside the old ones, and a copy holds the same."""
    path = tmp_path / "store.db"
    path.write_bytes(gzip.decompress((DATA / "store_0008.db.gz").read_bytes()))
    before = gzip.decompress((DATA / "export_0008.jsonl.gz").read_bytes()).splitlines()
    assert adjudge("store", "copy", str(path), str(tmp_path / "copy.db")).code == 0
    for store in (path, tmp_path / "copy.db"):
        assert adjudge("store", "check", "--store", str(store)).code == 0
        runs = dict.fromkeys(json.loads(line)["run"] for line in before)
        after = []
        for run in runs:
            adjudge("export", run, "-o", "rows.jsonl", "--with-inputs", "--store", str(store))
            after += Path("rows.jsonl").read_bytes().splitlines()
        assert [*map(json.loads, after)] == [*map(json.loads, before)]
    with closing(open_store(path)) as old, closing(open_store(tmp_path / "copy.db")) as new:
        item = json.loads(before[0])["item"]
        assert new.items.runs_with(next(iter(runs)), item) == old.items.runs_with(
            next(iter(runs)), item
        )
        assert new.database.size() < old.database.size()


def test_the_noted_revision_is_the_last_step() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).with_name("migrations")))
    assert ScriptDirectory.from_config(config).get_heads() == [tables.REVISION]


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    open_store(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.commit()
    with pytest.raises(StoreError, match="store revision 9999"):
        open_store(path)


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
        open_store(first)
    monkeypatch.undo()
    with closing(sqlite3.connect(first)) as db:
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    assert "replies" not in names
    assert "verdicts_before" not in names
    open_store(first).close()


def test_two_that_open_a_new_store_at_once(tmp_path: Path) -> None:
    """The second waits for the first one's tables."""
    from threading import Thread

    opened: list[Store] = []
    threads = [
        Thread(target=lambda: opened.append(open_store(tmp_path / "store.db"))) for _ in range(8)
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
    open_store(tmp_path / "store.db").close()
    database = SqliteDatabase(tmp_path / "store.db")
    with database.reading() as db:
        assert MigrationContext.configure(db).get_current_revision() == tables.REVISION
        assert sa.inspect(db).get_pk_constraint("alembic_version")["constrained_columns"] == [
            "version_num"
        ]
    database.close()
