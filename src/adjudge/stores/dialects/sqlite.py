"""The default database: one SQLite file, in write-ahead mode."""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from adjudge import open_files
from adjudge.core.reason import Reason
from adjudge.errors import StoreError

from ..database import AT_ONCE, Database, Upsert, Values, driver_of
from .sqlite_file import PRIVATE_FOLDER, FilePlace, make_private, may_write

PATIENCE = 30.0  # seconds that a writer waits for another one
_LOG_PATIENCE = 2000  # milliseconds that emptying the log waits for readers

# By a part of what SQLite says.
_REMEDIES = {
    "not a database": Reason("store.not_store"),
    "locked": Reason("store.locked"),
    "is full": Reason("store.full"),
}
_COUNT = (
    "INSERT INTO tallies (run, outcome, verdicts) VALUES (NEW.run, NEW.outcome, 1)"
    " ON CONFLICT (run, outcome) DO UPDATE SET verdicts = verdicts + 1;"
)
_DISCOUNT = (
    "UPDATE tallies SET verdicts = verdicts - 1 WHERE run = OLD.run AND outcome = OLD.outcome;"
)
_COUNTERS = (
    f"CREATE TRIGGER tally_new AFTER INSERT ON verdicts BEGIN {_COUNT} END",
    (
        "CREATE TRIGGER tally_newer AFTER UPDATE OF outcome ON verdicts"
        f" WHEN OLD.outcome <> NEW.outcome BEGIN {_DISCOUNT} {_COUNT} END"
    ),
)


class SqliteDatabase(Database):
    """A second writer waits for `PATIENCE` seconds.

    A file that lies where this process may not write, on a read-only mount say, can still be read.
    """

    def __init__(self, path: Path) -> None:
        self._place, self._path = FilePlace(path), path.absolute()
        self._log = path.absolute().with_name(f"{path.name}-wal")
        self._read_only = path.is_file() and not may_write(path)
        if not self._read_only:
            _make_folder(path.parent)
            make_private(path)
        # As parts, not as one text: a path may hold "?" and "%", which mean something in a URL.
        url = sa.URL.create("sqlite", database=str(path.absolute()))
        engine = sa.create_engine(url, creator=lambda: self._connected(path.absolute()))
        sa.event.listen(engine, "connect", _only_read if self._read_only else _prepare)
        super().__init__(str(path), engine, sqlite3.Error)

    def _connected(self, path: Path) -> sqlite3.Connection:
        self._place.check()
        return sqlite3.connect(
            f"file:{quote(str(path))}{self._how()}",
            uri=True,
            timeout=PATIENCE,
            cached_statements=512,
            check_same_thread=False,
        )

    def _how(self) -> str:
        """Without a log nobody is writing, and SQLite must not want to make one."""
        if not self._read_only:
            return ""
        has_log = self._log.exists() and self._log.stat().st_size
        return "?mode=ro" if has_log else "?mode=ro&immutable=1"

    def begin(self, db: sa.Connection, *, writing: bool) -> None:
        # A writer takes the lock first: one that read before could find its reading outdated.
        driver_of(db).execute("BEGIN IMMEDIATE" if writing else "BEGIN")

    def commit(self, db: sa.Connection) -> None:
        self._place.check()
        driver_of(db).commit()

    def put(self, db: sa.Connection, rows: Upsert, values: Sequence[Values]) -> None:
        """Many rows per statement: the driver lets go of the interpreter for each statement, and
        may wait as long as another thread computes to get it back."""
        driver = driver_of(db)
        for start in range(0, len(values), AT_ONCE):
            some = values[start : start + AT_ONCE]
            text = _for_rows(rows.text(db.dialect), len(rows.columns), len(some))
            driver.execute(text, [*chain.from_iterable(some)])

    def sync(self) -> None:
        """What a checkpoint has moved out of the log is on the disk already."""
        try:
            with self._log.open("rb+") as log:
                os.fsync(log.fileno())
                self._place.has_log(log.fileno())
        except FileNotFoundError:
            pass
        except OSError as error:
            remedy = open_files.remedy(error) or Reason("store.disk")
            reason = Reason("store.failed", why=error.strerror, remedy=remedy)
            raise StoreError(reason.in_file(self.where)) from error

    def erase(self) -> None:
        """`secure_delete` has overwritten it in the file; it stands in the log until this. Where
        somebody reads for long, it is left to later writers, and to the one that closes the
        database last."""
        with self.reading() as db:
            driver = driver_of(db)
            driver.rollback()  # no log is emptied inside of a transaction
            driver.execute(f"PRAGMA busy_timeout={_LOG_PATIENCE}")
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            driver.execute(f"PRAGMA busy_timeout={int(PATIENCE * 1000)}")

    def vacuum(self) -> None:
        with self.writing() as db:
            driver = driver_of(db)
            driver.rollback()
            driver.execute("VACUUM")
        self.erase()

    def size(self) -> int:
        files = (self._path, self._log)
        return sum(file.stat().st_size for file in files if file.exists())

    def create_counters(self, db: sa.Connection) -> None:
        for trigger in _COUNTERS:
            db.exec_driver_sql(trigger)

    def remedy(self, why: str) -> Reason:
        if "unable to open" in why and (too_many := open_files.remedy_if_full()):
            return too_many
        if self._read_only and ("readonly" in why or "unable to open" in why):
            return Reason("store.read_only")
        if "malformed" in why:
            return Reason("store.malformed", store=shlex.quote(self.where))
        known = (remedy for sign, remedy in _REMEDIES.items() if sign in why)
        return next(known, Reason("store.check"))


@cache
def _for_rows(text: str, columns: int, rows: int) -> str:
    """A statement that puts one row, for so many."""
    one = "(" + ", ".join("?" * columns) + ")"
    return text.replace(one, ", ".join([one] * rows), 1)


def _prepare(connection: Any, _: object) -> None:
    # `begin` begins transactions: the driver would do so late, and not for tables.
    connection.isolation_level = None
    _keep_a_log(connection)
    # Leaves it to `sync` to wait for the disk.
    connection.execute("PRAGMA synchronous=NORMAL")
    # What is deleted or replaced may be somebody's text: it is overwritten, and not only let go of.
    connection.execute("PRAGMA secure_delete=ON")


def _only_read(connection: Any, _: object) -> None:
    connection.isolation_level = None


def _keep_a_log(connection: Any) -> None:
    """Readers continue while a run writes. Of several that open a new file at once, SQLite lets one
    switch to the log and may turn the others away without waiting."""
    last = monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or monotonic() > last:
                raise
            sleep(0.01)
        else:
            return


def _make_folder(folder: Path) -> None:
    try:
        if not folder.exists():
            folder.mkdir(PRIVATE_FOLDER, parents=True)
            if folder.name == ".adjudge":
                # Texts and verdicts should not end up in version control by accident.
                (folder / ".gitignore").write_text("*\n")
    except OSError as error:
        raise StoreError(Reason("store.no_folder", why=error.strerror).in_file(folder)) from None
