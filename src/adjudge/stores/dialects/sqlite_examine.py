"""A look at a store that changes nothing: not its tables, not even the files beside it."""

from __future__ import annotations

import re
import shlex
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import orjson

from adjudge.core.reason import Reason, reason_of
from adjudge.errors import StoreError

from ..codec import decode_manifest

# SQLite reads every page to find damage; what would take longer is looked at in part.
_MOST_BYTES, _MOST_SECONDS = 1 << 30, 5.0
_STEPS = 10_000  # instructions of SQLite between two looks at the clock
# Table → column → whether a new row must give it a value.
Tables = dict[str, dict[str, bool]]
_OTHER = Reason("store.restore")
_ANOTHER = Reason("store.another")


def examine(path: Path) -> str:
    """What the existing file `path` is as a store; StoreError when no run could use it."""
    try:
        _check_length(path)
        with closing(_open(path)) as db:
            whole = _check_pages(db, path)
            tables = _tables(db)
            revision = _revision(db, path, tables)
            if revision is None:
                return "no tables of adjudge in it yet; the first run makes them"
            _check_tables(db, path, tables, revision)
            _check_secret(db, path)
            runs = _check_runs(db, path)
    except OSError as error:
        reason = Reason("store.failed", why=error.strerror, remedy=_ANOTHER)
        raise StoreError(reason.in_file(path)) from None
    except sqlite3.Error as error:
        if "not a database" in str(error):
            reason = Reason("store.failed", why=str(error), remedy=Reason("store.not_store"))
            raise StoreError(reason.in_file(path)) from None
        if "malformed" in str(error):
            raise _damaged(path, str(error)) from None
        reason = Reason("store.failed", why=str(error), remedy=_ANOTHER)
        raise StoreError(reason.in_file(path)) from None
    shown = "1 run" if runs == 1 else f"{runs:,} runs"
    if revision != _newest():
        shown += ", of an older version; the next use takes it along"
    return shown if whole else f"{shown}; too large to be checked for damage as a whole"


def _open(path: Path) -> sqlite3.Connection:
    """Without a log beside it the file is taken as it lies: SQLite would make a log to read it."""
    how = "mode=ro" if _log(path).exists() else "immutable=1"
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?{how}", uri=True, timeout=2.0)


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _check_length(path: Path) -> None:
    """The file against what its head says; with a log beside it, pages may be in that alone."""
    with path.open("rb") as file:
        head = file.read(100)
    if len(head) < 100 or head[24:28] != head[92:96] or _log(path).exists():
        return
    size, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
    whole, length = (1 << 16 if size == 1 else size) * pages, path.stat().st_size
    if length < whole and head.startswith(b"SQLite format 3"):
        raise _damaged(path, f"cut off: {length:,} of {whole:,} bytes are there")


def _check_pages(db: sqlite3.Connection, path: Path) -> bool:
    """StoreError where pages are damaged; False when not all of them were looked at."""
    if path.stat().st_size > _MOST_BYTES:
        return False
    end = time.monotonic() + _MOST_SECONDS
    db.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        problems = [str(row[0]) for row in db.execute("PRAGMA quick_check(1)")]
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            return False
        raise
    finally:
        db.set_progress_handler(None, _STEPS)
    if problems != ["ok"]:
        raise _damaged(path, " ".join(problems[0].split()))
    return True


def _damaged(path: Path, how: str) -> StoreError:
    save = f"sqlite3 {shlex.quote(str(path))} .recover | sqlite3 saved.db"
    return StoreError(Reason("store.damaged", how=how, save=save).in_file(path))


def _tables(db: sqlite3.Connection) -> Tables:
    names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    query = 'SELECT name, "notnull" AND dflt_value IS NULL AND NOT pk FROM pragma_table_info(?)'
    return {
        name: {column: bool(needed) for column, needed in db.execute(query, [name])}
        for name in names
    }


def _newest() -> str:
    from ..tables import REVISION  # noqa: PLC0415 - SQLAlchemy takes 0.2 s to import

    return REVISION


def _revision(db: sqlite3.Connection, path: Path, tables: Tables) -> str | None:
    """Where the store stands; None for a file without our tables."""
    from ..tables import metadata  # noqa: PLC0415 - as above

    if "alembic_version" not in tables:
        if "meta" in tables:
            return "0001"  # from before revisions were noted
        taken = sorted(set(tables) & set(metadata.tables))
        if taken:
            raise StoreError(Reason("store.other_table", table=taken[0]).in_file(path))
        return None
    noted = [str(version) for (version,) in db.execute("SELECT version_num FROM alembic_version")]
    if len(noted) != 1 or not re.fullmatch(r"\d{4}", noted[0]):
        said = " and ".join(noted) or "nothing"
        raise StoreError(Reason("store.odd_revision", noted=said, remedy=_OTHER).in_file(path))
    if noted[0] > _newest():  # they are numbered in the order of time
        raise StoreError(Reason("store.newer", revision=noted[0], newest=_newest()).in_file(path))
    return noted[0]


def _check_tables(db: sqlite3.Connection, path: Path, tables: Tables, revision: str) -> None:
    """Today's tables must be there, or be what the steps make of an older store's."""
    from ..tables import metadata  # noqa: PLC0415 - as above

    there = tables if revision == _newest() else _taken_along(db, path, revision)
    for table in metadata.sorted_tables:
        if table.name not in there:
            raise StoreError(
                Reason("store.no_table", table=table.name, remedy=_OTHER).in_file(path)
            )
        wanted = {column.name for column in table.columns}
        missing = sorted(wanted - set(there[table.name]))
        if missing:
            raise StoreError(
                Reason(
                    "store.no_column", table=table.name, column=missing[0], remedy=_OTHER
                ).in_file(path)
            )
        columns = there[table.name]
        unknown = sorted(name for name in set(columns) - wanted if columns[name])
        if unknown:
            raise StoreError(
                Reason("store.leftover", table=table.name, column=unknown[0]).in_file(path)
            )


def _taken_along(db: sqlite3.Connection, path: Path, revision: str) -> Tables:
    from ..migrate import rehearse  # noqa: PLC0415 - only for an older store

    query = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
    try:
        return rehearse([sql for (sql,) in db.execute(query)], revision)
    except StoreError as error:
        raise StoreError(
            Reason(
                "store.not_upgraded", revision=revision, why=reason_of(error), remedy=_OTHER
            ).in_file(path)
        ) from None


def _check_secret(db: sqlite3.Connection, path: Path) -> None:
    secret = db.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()
    try:
        bytes.fromhex(secret[0] if secret else "")
    except (TypeError, ValueError):
        raise StoreError(Reason("store.odd_secret", remedy=_OTHER).in_file(path)) from None


def _check_runs(db: sqlite3.Connection, path: Path) -> int:
    """How many runs there are; StoreError where one cannot be read."""
    count = 0
    for run, manifest, sources in db.execute("SELECT id, manifest, sources FROM runs"):
        count += 1
        try:
            decode_manifest(manifest)
            if not isinstance(orjson.loads(sources), dict):
                raise TypeError("the judges are no object")  # noqa: TRY301 - told with the others
        except (ValueError, TypeError, KeyError) as error:
            remove = f"DELETE FROM runs WHERE id = '{run}'"  # noqa: S608 - shown, not carried out
            raise StoreError(
                Reason(
                    "store.odd_run",
                    run=run,
                    why=str(error),
                    quoted=shlex.quote(str(path)),
                    command=shlex.quote(remove),
                ).in_file(path)
            ) from None
    return count
