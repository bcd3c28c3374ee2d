"""A SQLite database: connections, transactions, and its errors in the words of a user."""

from __future__ import annotations

import os
import shlex
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any, cast
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from adjudge import open_files
from adjudge.errors import StoreError

from .file_place import FilePlace
from .modes import PRIVATE_FOLDER, make_private, may_write

PATIENCE = 30.0  # seconds that a writer waits for another one
_LOG_PATIENCE = 2000  # milliseconds that emptying the log waits for readers


# By a part of what SQLite says.
_REMEDIES = {
    "not a database": "The file is no adjudge store; name another with --store.",
    "locked": "Another process is writing to it; wait for that, or use another --store.",
    "is full": "What was answered before is kept. Make room and run the same command again.",
    "malformed": "`adjudge doctor --store {store}` says how to save what is left of it.",
}
_ANY_OTHER = (
    "Check the disk and the permissions (`adjudge doctor` looks at the store),"
    " or name another with --store."
)


class Database:
    """Readers and one writer at a time; a second writer waits for `PATIENCE` seconds.

    One that lies where this process may not write, on a read-only mount say, can still be read.
    """

    def __init__(self, path: Path) -> None:
        self.where = str(path)
        self._place = FilePlace(path)
        self._log = path.absolute().with_name(f"{path.name}-wal")
        self._read_only = path.is_file() and not may_write(path)
        if not self._read_only:
            _make_folder(path.parent)
            make_private(path)
        # As parts, not as one text: a path may hold "?" and "%", which mean something in a URL.
        url = sa.URL.create("sqlite", database=str(path.absolute()))
        engine = sa.create_engine(url, creator=lambda: self._connected(path.absolute()))
        sa.event.listen(engine, "connect", _only_read if self._read_only else _prepare)
        sa.event.listen(engine, "begin", _begin)
        self._engine = engine
        self._writers = engine.execution_options(writes=True)
        self._open = threading.local()

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

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One transaction; not inside of `driver`."""
        with self._telling(), self._writers.begin() as db:
            yield db
            self._place.check()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        with self._telling(), self._engine.connect() as db:
            yield db

    @contextmanager
    def driver(self) -> Iterator[sqlite3.Connection]:
        """One transaction on the driver's own connection, for what happens thousands of times a
        second: SQLAlchemy takes longer to pass a statement on than SQLite to carry it out.

        Inside another one of this thread it is a part of that.
        """
        outer: sqlite3.Connection | None = getattr(self._open, "transaction", None)
        if outer is not None:
            yield outer
            return
        with self._telling(), closing(self._engine.raw_connection()) as pooled:
            db = cast(sqlite3.Connection, pooled.driver_connection)
            db.execute("BEGIN IMMEDIATE")
            self._open.transaction = db
            try:
                yield db
                self._place.check()
                db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # SQLite may have done so by itself
                    db.execute("ROLLBACK")
                raise
            finally:
                self._open.transaction = None

    def sync(self) -> None:
        """Waits for the disk. What a checkpoint has moved out of the log is on it already."""
        try:
            with self._log.open("rb+") as log:
                os.fsync(log.fileno())
                self._place.has_log(log.fileno())
        except FileNotFoundError:
            pass
        except OSError as error:
            remedy = open_files.remedy(error) or "Check the disk."
            raise StoreError(f"{self.where}: {error.strerror}. {remedy}") from error

    def empty_log(self) -> None:
        """What was deleted stands in the log until this. Where somebody reads for long, it is left
        to those who write later, and to whoever closes the database last."""
        with self.reading() as db:
            db.rollback()  # no log is emptied inside of a transaction
            log = driver_of(db)
            log.execute(f"PRAGMA busy_timeout={_LOG_PATIENCE}")
            log.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            log.execute(f"PRAGMA busy_timeout={int(PATIENCE * 1000)}")

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            reason = str(getattr(error, "orig", error))
            raise StoreError(f"{self.where}: {reason}. {self._remedy(reason)}") from error

    def _remedy(self, reason: str) -> str:
        if "unable to open" in reason and (too_many := open_files.remedy_if_full()):
            return too_many
        if self._read_only and ("readonly" in reason or "unable to open" in reason):
            return (
                "You may not write there: runs can be listed, shown and exported, nothing else."
                " For more, copy the store (and its -wal, if there is one) to another place, and"
                " name that with --store."
            )
        for sign, remedy in _REMEDIES.items():
            if sign in reason:
                return remedy.format(store=shlex.quote(self.where))
        return _ANY_OTHER


def driver_of(db: sa.Connection) -> sqlite3.Connection:
    """The driver's own connection, in the same transaction."""
    return cast(sqlite3.Connection, db.connection.driver_connection)


def _prepare(connection: Any, _: object) -> None:
    # Transactions are begun by hand below: the driver would begin them late, and not for tables.
    connection.isolation_level = None
    _keep_a_log(connection)
    # Leaves it to `sync` to wait for the disk.
    connection.execute("PRAGMA synchronous=NORMAL")
    # What is deleted or replaced may be somebody's text: it is overwritten, and not only let go of.
    connection.execute("PRAGMA secure_delete=ON")


def _only_read(connection: Any, _: object) -> None:
    connection.isolation_level = None


def _keep_a_log(connection: Any) -> None:
    """Readers go on while a run writes. Of several that open a new file at once, SQLite lets one
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


def _begin(connection: sa.Connection) -> None:
    # A writer takes the lock first: one that read before could find its reading outdated.
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _make_folder(folder: Path) -> None:
    try:
        if not folder.exists():
            folder.mkdir(PRIVATE_FOLDER, parents=True)
            if folder.name == ".adjudge":
                # Texts and verdicts should not end up in version control by accident.
                (folder / ".gitignore").write_text("*\n")
    except OSError as error:
        raise StoreError(
            f"{folder}: cannot be made: {error.strerror}. Name another place with --store."
        ) from None
