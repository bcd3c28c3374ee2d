from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.stores.sqlite import SqliteStore

from .conftest import entry, record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


@pytest.fixture
def store(path: Path) -> SqliteStore:
    """Open, with one verdict."""
    store = SqliteStore(path)
    store.start(record())
    store.put(record().id, [entry("1")])
    store.sync()
    return store


@pytest.mark.parametrize("gone", [Path.unlink, lambda path: path.rename(path.with_name("y.db"))])
def test_nothing_is_written_to_a_file_that_is_gone(
    store: SqliteStore, path: Path, gone: Callable[[Path], object]
) -> None:
    gone(path)
    with pytest.raises(StoreError, match=r"x\.db: the file was deleted or moved away"):
        store.put(record().id, [entry("2")])
    with pytest.raises(StoreError, match="deleted or moved away"):
        store.end(record().id, "finished")
    store.close()
    assert not path.exists()


def test_a_file_that_is_put_back_holds_everything(store: SqliteStore, path: Path) -> None:
    away = path.rename(path.with_name("y.db"))
    with pytest.raises(StoreError):
        store.put(record().id, [entry("2")])
    away.rename(path)
    store.put(record().id, [entry("3")])
    store.close()
    again = SqliteStore(path)
    assert again.item_ids(record().id) == ["1", "3"]
    again.close()


def test_another_file_is_left_as_it_is(store: SqliteStore, path: Path) -> None:
    """The log of the old one, which SQLite would read into it, is put aside."""
    other = SqliteStore(path.with_name("y.db"))
    other.start(record("other"))
    other.put(record("other").id, [entry("9")])
    other.close()
    path.with_name("y.db").replace(path)
    with pytest.raises(StoreError, match="another file took its place"):
        store.put(record().id, [entry("2")])
    store.close()
    assert path.with_name("x.db-wal.old").exists()
    again = SqliteStore(path)
    (run,) = again.runs()
    assert again.item_ids(run.id) == ["9"]
    again.close()
