from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.stores.examine import examine
from adjudge.stores.registry import open_store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a #?%.db"


def test_a_store(path: Path) -> None:
    store = open_store(str(path))
    assert examine(path) == "0 runs"  # while it is open, its log beside it
    store.close()
    assert examine(path) == "0 runs"
    assert list(path.parent.iterdir()) == [path]


def test_an_empty_file(path: Path) -> None:
    path.touch()
    assert "the first run makes them" in examine(path)


def change(path: Path, statement: str) -> None:
    open_store(str(path)).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement)
        db.commit()


def test_an_older_store(path: Path) -> None:
    change(path, "UPDATE alembic_version SET version_num = '0001'")
    assert "of an older version" in examine(path)


def test_a_store_from_before_revisions(path: Path) -> None:
    change(path, "DROP TABLE alembic_version")
    assert "of an older version" in examine(path)


def test_a_newer_store(path: Path) -> None:
    change(path, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"newer version of adjudge \(store revision 9999"):
        examine(path)


def test_no_database(path: Path) -> None:
    path.write_bytes(b"something else" * 100)
    with pytest.raises(StoreError, match=r"not a database.*--store"):
        examine(path)
