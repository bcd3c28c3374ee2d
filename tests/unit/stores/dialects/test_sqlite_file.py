from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.stores import Store, open_store
from adjudge.stores.dialects.sqlite_file import open_to_others

from ..conftest import entry, record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


@pytest.fixture
def store(path: Path) -> Store:
    """Open, with one verdict."""
    store = open_store(path)
    store.runs.start(record())
    store.verdicts.put(record().id, [entry("1")])
    store.sync()
    return store


@pytest.mark.parametrize("gone", [Path.unlink, lambda path: path.rename(path.with_name("y.db"))])
def test_nothing_is_written_to_a_file_that_is_gone(
    store: Store, path: Path, gone: Callable[[Path], object]
) -> None:
    gone(path)
    with pytest.raises(StoreError, match=r"x\.db: the file was deleted or moved away"):
        store.verdicts.put(record().id, [entry("2")])
    with pytest.raises(StoreError, match="deleted or moved away"):
        store.runs.end(record().id, "finished")
    store.close()
    assert not path.exists()


def test_a_file_that_is_put_back_holds_everything(store: Store, path: Path) -> None:
    away = path.rename(path.with_name("y.db"))
    with pytest.raises(StoreError):
        store.verdicts.put(record().id, [entry("2")])
    away.rename(path)
    store.verdicts.put(record().id, [entry("3")])
    store.close()
    again = open_store(path)
    assert again.items.ids(record().id) == ["1", "3"]
    again.close()


def test_another_file_is_left_as_it_is(store: Store, path: Path) -> None:
    """The log of the old one, which SQLite would read into it, is put aside."""
    other = open_store(path.with_name("y.db"))
    other.runs.start(record("other"))
    other.verdicts.put(record("other").id, [entry("9")])
    other.close()
    path.with_name("y.db").replace(path)
    with pytest.raises(StoreError, match="another file took its place"):
        store.verdicts.put(record().id, [entry("2")])
    store.close()
    assert path.with_name("x.db-wal.old").exists()
    again = open_store(path)
    (run,) = again.runs.all()
    assert again.items.ids(run.id) == ["9"]
    again.close()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_store_is_its_owner_s_alone(tmp_path: Path) -> None:
    path = tmp_path / ".adjudge" / "adjudge.db"
    store = open_store(str(path))
    store.sync()
    assert mode(path.parent) == 0o700
    for each in path.parent.glob("adjudge.db*"):
        assert mode(each) == 0o600, each
    assert len(list(path.parent.glob("adjudge.db-*"))) == 2
    assert open_to_others(path) is None
    store.close()


def test_one_that_is_there_is_left_as_it_is_and_told_about(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    path = tmp_path / "my runs.db"
    open_store(str(path)).close()
    path.chmod(0o644)
    open_store(str(path)).close()
    assert mode(path) == 0o644
    told = open_to_others(path)
    assert told
    assert f"chmod 600 '{path}'" in told


def test_a_closed_folder_closes_what_is_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(0o700)
    path = folder / "runs.db"
    path.touch(0o644)
    path.chmod(0o644)
    assert open_to_others(path) is None
    folder.chmod(0o750)
    path.chmod(0o604)
    assert open_to_others(path) is None  # the group may enter and not read
    path.chmod(0o640)
    assert open_to_others(path)
