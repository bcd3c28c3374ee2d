"""A run is deleted with all its texts, and stays so, also where somebody still writes to it."""

from __future__ import annotations

import sqlite3

from adjudge.errors import Conflict, StoreError, UnknownName

from .facts import block
from .records import DeletedRun
from .sqlite_jobs import claim_key
from .tables import ASKED_AGAIN, DELETED
from .times import now

# A job that nobody has in hand is deleted with its run: no service goes on with it.
_IN_HAND = (
    "SELECT 1 FROM owners JOIN workers ON workers.owner = owners.id WHERE workers.run = ?"
    " UNION ALL"
    " SELECT 1 FROM owners JOIN claims ON claims.owner = owners.id WHERE claims.key = ?"
)
_TEXTS = tuple(f"DELETE FROM {table} WHERE run = ?" for table in ("items", "verdicts", "replies"))  # noqa: S608
_REST = (
    *(
        f"DELETE FROM {table} WHERE run = ?"  # noqa: S608
        for table in ("tallies", "facts", "reservations", "batches", "jobs")
    ),
    "DELETE FROM runs WHERE id = ?",
    f"DELETE FROM meta WHERE key = '{ASKED_AGAIN}' || ?",  # noqa: S608
)
_MARK = "SELECT coalesce(max(change), 0) FROM facts WHERE run = ?"
_KEEP_COUNT = "INSERT INTO facts (run, change, verdicts, content) VALUES (?, ?, 0, ?)"
_NOTE = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"


def delete(db: sqlite3.Connection, run: str) -> DeletedRun:
    """Inside a transaction; those who live no more are cleared away already."""
    if not db.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone():
        raise UnknownName(f"There is no run {run!r} in the store. Name it by its whole id.")
    if db.execute(_IN_HAND, (run, claim_key(run))).fetchone():
        raise Conflict(f"Run {run} is under way. Stop it first, then delete it.")
    ((mark,),) = db.execute(_MARK, (run,))
    items, verdicts, replies = (db.execute(query, (run,)).rowcount for query in _TEXTS)
    for query in _REST:
        db.execute(query, (run,))
    # The same command makes the same run again. Its changes are counted from here on, so that
    # nobody takes the figures that they remember for those of the new one.
    db.execute(_KEEP_COUNT, (run, mark + 1, block({})))
    db.execute(_NOTE, (f"{DELETED}{run}", now()))
    return DeletedRun(run, items, verdicts, replies)


def check(db: sqlite3.Connection, run: str) -> None:
    """StoreError where the run was deleted while somebody was busy with it."""
    if db.execute("SELECT 1 FROM meta WHERE key = ?", (f"{DELETED}{run}",)).fetchone():
        raise StoreError(f"Run {run} was deleted meanwhile; nothing more is kept of it.")


def begin_anew(db: sqlite3.Connection, run: str) -> None:
    """From here on the run may be written to again."""
    db.execute("DELETE FROM meta WHERE key = ?", (f"{DELETED}{run}",))
