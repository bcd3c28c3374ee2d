from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adjudge import open_files
from adjudge.core.reason import Reason
from adjudge.datasets.base import Source
from adjudge.datasets.textfile import open_bytes
from adjudge.errors import DataError, StoreError
from adjudge.stores import open_store


@contextmanager
def none_left() -> Iterator[None]:
    """Every descriptor that this process may have is taken."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd"))) + 10  # noqa: PTH208 - names, not paths
    taken: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest, before[1]))
    try:
        try:
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            yield
    finally:
        for each in taken:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.fixture(autouse=True)
def words() -> None:
    """Read in advance, as a run does: words need a file too."""
    str(Reason("none"))


def test_there_is_room() -> None:
    assert open_files.remedy_if_full() is None
    assert open_files.remedy(OSError(errno.ENOSPC, "full")) is None


def test_the_limit_and_the_remedy_are_told() -> None:
    with none_left():
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        told = str(open_files.remedy_if_full())
    assert f"{most:,} files" in told
    assert "ulimit -n 1024" in told


def test_a_store_does_not_blame_the_disk(tmp_path: Path) -> None:
    path = str(tmp_path / "runs.db")
    open_store(path).close()
    with none_left(), pytest.raises(StoreError, match="ulimit -n") as told:
        open_store(path)
    assert "disk" not in str(told.value)


def test_nor_does_waiting_for_its_log(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "runs.db"))
    with none_left(), pytest.raises(StoreError, match="ulimit -n") as told:
        store.sync()
    assert "disk" not in str(told.value)
    store.close()


def test_data_do_not_blame_permissions(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("{}\n")
    with none_left(), pytest.raises(DataError, match="ulimit -n"):
        open_bytes(Source(path))
