"""Opens the store that a URL or path names."""

from __future__ import annotations

from pathlib import Path

from adjudge.errors import StoreError, UsageError

from .base import Store

DEFAULT = ".adjudge/adjudge.db"


def path_of(url: str) -> Path:
    """The file of a store: `url` is a path, `sqlite:///path`, or `sqlite` for the default place."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme != "sqlite":
        raise UsageError(f"--store {url}: only SQLite stores are known: a path or sqlite:///path.")
    path = Path(rest.removeprefix("/") if separator else DEFAULT if url == "sqlite" else url)
    if path.is_dir():
        raise UsageError(f"--store {url}: this is a folder; name a file, e.g. {path}/adjudge.db.")
    return path


def open_store(url: str, *, must_exist: bool = False) -> Store:
    """The store at `url`, made when it is not there, unless it must exist."""
    from .sqlite import SqliteStore  # noqa: PLC0415 - SQLAlchemy takes 0.2 s to import

    path = path_of(url)
    if must_exist and not path.exists():
        raise StoreError(
            f"{path}: there is no store here. `adjudge run` makes one, or use --store."
        )
    return SqliteStore(path)
