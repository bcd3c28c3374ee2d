from __future__ import annotations

import stat
from pathlib import Path

from adjudge.stores.modes import open_to_others
from adjudge.stores.registry import open_store


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
