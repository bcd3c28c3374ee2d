from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.stores import open_store
from adjudge.stores.dialects import sqlite_examine as module
from adjudge.stores.dialects.sqlite_examine import examine

from ..conftest import entry, record

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
def path(tmp_path: Path) -> Path:
    return tmp_path / "a #?%.db"


@pytest.fixture
def used(path: Path) -> Path:
    """A store with a run and enough verdicts to fill some hundred pages."""
    store = open_store(path)
    store.runs.start(record())
    store.verdicts.put(record().id, [entry(str(number), number) for number in range(500)])
    store.close()
    return path


def test_a_store(path: Path) -> None:
    store = open_store(str(path))
    assert examine(path) == "0 runs"  # while it is open, its log beside it
    store.close()
    assert examine(path) == "0 runs"
    assert list(path.parent.iterdir()) == [path]


def test_a_store_in_use(used: Path) -> None:
    store = open_store(used)
    store.verdicts.put(record().id, [entry(f"more {number}", number) for number in range(500)])
    assert examine(used) == "1 run"  # many pages are in the log alone
    store.close()
    before = used.read_bytes()
    assert examine(used) == "1 run"
    assert used.read_bytes() == before


def test_an_empty_file(path: Path) -> None:
    path.touch()
    assert "the first run makes them" in examine(path)


def change(path: Path, *statements: str) -> None:
    open_store(str(path)).close()
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


def older(path: Path, *statements: str) -> None:
    """A store of the first version, changed."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(FIRST)
        for statement in statements:
            db.execute(statement)
        db.commit()


def test_an_older_store(path: Path) -> None:
    older(path)
    before = path.read_bytes()
    assert examine(path) == "0 runs, of an older version; the next use takes it along"
    assert path.read_bytes() == before
    open_store(path).close()
    assert examine(path) == "0 runs"


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DROP TABLE items", "cannot be migrated.*no such table: items"),
        ("ALTER TABLE verdicts DROP COLUMN outcome", "cannot be migrated.*outcome"),
        ("CREATE TABLE labels (id)", "cannot be migrated.*no such column"),
        ("DROP TABLE runs", "cannot be migrated.*runs"),
    ],
)
def test_an_older_store_that_cannot_be_taken_along(path: Path, statement: str, says: str) -> None:
    older(path, statement)
    with pytest.raises(StoreError, match=f"{says}.*--store"):
        examine(path)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", r"newer version.*revision 9999"),
        ("UPDATE alembic_version SET version_num = 'x'", "notes x as the revision"),
        ("DELETE FROM alembic_version", "notes nothing as the revision"),
        ("INSERT INTO alembic_version VALUES ('0003')", r"notes \d{4} and \d{4} as the revision"),
        ("DROP TABLE verdicts", "the table verdicts is missing"),
        ("DROP TABLE tokens", "the table tokens is missing"),
        ("ALTER TABLE runs DROP COLUMN usd", "runs has no column usd"),
        ("ALTER TABLE claims RENAME COLUMN owner TO o", "claims has no column owner"),
        ("UPDATE meta SET value = 'zz' WHERE key = 'secret'", "its secret is no"),
        ("ALTER TABLE tokens ADD COLUMN seen TEXT", ""),  # whoever writes need not know of it
    ],
)
def test_tables_that_are_not_as_they_should(path: Path, statement: str, says: str) -> None:
    if not says:
        change(path, statement)
        assert examine(path) == "0 runs"
        return
    change(path, statement)
    with pytest.raises(StoreError, match=f"{says}.*--store"):
        examine(path)


def test_a_leftover_of_a_newer_version(path: Path) -> None:
    change(
        path,
        "DROP TABLE calibrations",
        "CREATE TABLE calibrations (id INTEGER PRIMARY KEY, judge, model, fingerprint, created,"
        " content, weight REAL NOT NULL)",
    )
    with pytest.raises(
        StoreError, match=r"calibrations requires a column weight.*newer version left it"
    ):
        examine(path)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("manifest", b"{"),
        ("manifest", b"[]"),
        ("manifest", b'{"models": []}'),
        ("manifest", b"\xff\x00"),
        ("sources", b""),
        ("sources", b"3"),
    ],
)
def test_a_run_that_cannot_be_read(used: Path, column: str, value: bytes) -> None:
    with closing(sqlite3.connect(used)) as db:
        db.execute(f"UPDATE runs SET {column} = ?", [value])  # noqa: S608
        db.commit()
    with pytest.raises(StoreError, match=r"cannot be read.*remove it") as told:
        examine(used)
    assert f"id = '\"'\"'{record().id}" in str(told.value)  # quoted for a shell


def test_no_database(path: Path) -> None:
    path.write_bytes(b"something else" * 100)
    with pytest.raises(StoreError, match=r"not a database.*--store"):
        examine(path)


def test_somebody_else_s_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE songs (title)")
    assert "the first run makes them" in examine(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE runs (distance)")
    with pytest.raises(StoreError, match=r"no store of adjudge, but it has a table runs"):
        examine(path)


@pytest.mark.parametrize("left", [101, 5_000, 4096 * 3, -4096, -1])
def test_a_file_that_is_cut_off(used: Path, left: int) -> None:
    used.write_bytes(used.read_bytes()[:left])
    with pytest.raises(StoreError, match=r"damaged \(.*recover.*--store|not a database"):
        examine(used)


@pytest.mark.parametrize("seed", range(5))
def test_pages_that_are_damaged(used: Path, seed: int) -> None:
    content = bytearray(used.read_bytes())
    draw = random.Random(seed)  # noqa: S311 - nothing secret
    page = draw.randrange(1, len(content) // 4096) * 4096
    content[page : page + 64] = draw.randbytes(64)
    used.write_bytes(content)
    with pytest.raises(StoreError, match=r"damaged \(.*recover.*--store"):
        examine(used)


def test_a_large_store_is_looked_at_in_part(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", 1000)
    assert examine(used) == "1 run; too large to be checked for damage as a whole"


def test_a_check_that_takes_too_long(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_SECONDS", -1.0)
    monkeypatch.setattr(module, "_STEPS", 1)
    assert examine(used) == "1 run; too large to be checked for damage as a whole"
