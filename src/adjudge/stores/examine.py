"""A look at a store that changes nothing: not its tables, not even the files beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from adjudge.errors import StoreError


def examine(path: Path) -> str:
    """What the existing file `path` is as a store; StoreError when no run could use it."""
    from .tables import REVISION, meta  # noqa: PLC0415 - SQLAlchemy takes 0.2 s to import

    try:
        with closing(_open(path)) as db:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
            found = None
            if "alembic_version" in tables:
                (found,) = db.execute("SELECT version_num FROM alembic_version").fetchone() or [
                    None
                ]
            elif meta.name in tables:
                found = "0001"  # from before revisions were noted
            runs = db.execute("SELECT count(*) FROM runs").fetchone()[0] if found else 0
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}. Name another with --store.") from None
    if found is None:
        return "no tables of adjudge in it yet; the first run makes them"
    # Revisions are numbered in the order of time.
    if found > REVISION:
        raise StoreError(
            f"{path}: written by a newer version of adjudge (store revision {found}, this one knows"
            f" up to {REVISION}). Use that version, or another --store."
        )
    told = "1 run" if runs == 1 else f"{runs:,} runs"
    return (
        told if found == REVISION else f"{told}, of an older version; the next use takes it along"
    )


def _open(path: Path) -> sqlite3.Connection:
    """Without a log beside it the file is taken as it lies: SQLite would make a log to read it."""
    log = path.with_name(f"{path.name}-wal")
    how = "mode=ro" if log.exists() else "immutable=1"
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?{how}", uri=True, timeout=2.0)
