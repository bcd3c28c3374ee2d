from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import StoreError, UsageError
from adjudge.stores.registry import DEFAULT, open_store, path_of


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("runs.db", "runs.db"),
        ("sqlite:///runs.db", "runs.db"),
        ("sqlite:////tmp/runs.db", "/tmp/runs.db"),  # noqa: S108 - a name, nothing is written
        ("sqlite://runs.db", "runs.db"),
        ("sqlite", DEFAULT),
    ],
)
def test_path(url: str, path: str) -> None:
    assert path_of(url) == Path(path)


@pytest.mark.parametrize("url", ["postgresql://host/db", "mysql://x"])
def test_other_databases(url: str) -> None:
    with pytest.raises(UsageError, match="only SQLite"):
        open_store(url)


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="this is a folder; name a file"):
        open_store(str(tmp_path))


def test_one_that_must_exist(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store here"):
        open_store(str(tmp_path / "x.db"), must_exist=True)
    assert list(tmp_path.iterdir()) == []
