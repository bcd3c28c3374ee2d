"""Who has the store open: what they claim and the runs they work on are theirs while they live.

An owner signs every few seconds, with the time of day and with the ticks of a clock that nobody
sets and that stands still while the machine sleeps. On the same machine the ticks count, and
whether the process is there at all; elsewhere the time of day.
"""

from __future__ import annotations

import os
import secrets
import socket
import sqlite3
import time
from collections.abc import Set
from contextlib import suppress
from functools import cache
from pathlib import Path

import sqlalchemy as sa

from . import tables
from .database import Database
from .times import at

_LEASE = 30.0  # seconds after which an owner that was not heard of is dead

_SIGN = "INSERT OR REPLACE INTO owners (id, host, pid, seen, ticks) VALUES (?, ?, ?, ?, ?)"
_WORK = "INSERT OR IGNORE INTO workers (run, owner) VALUES (?, ?)"
_LEAVE = "DELETE FROM workers WHERE run = ? AND owner = ?"
_LAST_HEARD = (
    "UPDATE runs SET ended = max(coalesce(ended, ''), ?) WHERE state = 'running'"
    " AND id IN (SELECT run FROM workers WHERE owner = ?)"
)
_FORGET = (
    "DELETE FROM claims WHERE owner = ?",
    "DELETE FROM workers WHERE owner = ?",
    "DELETE FROM owners WHERE id = ?",
)
_ALL = "SELECT id, seen, host, pid, ticks FROM owners"
_SIGN_OFF = (
    "DELETE FROM owners WHERE id = ?1"
    " AND NOT EXISTS (SELECT 1 FROM claims WHERE owner = ?1)"
    " AND NOT EXISTS (SELECT 1 FROM workers WHERE owner = ?1)"
)


class Owner:
    """We, as one that has the store open. One process may be several, if it runs twice at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.id = secrets.token_hex(8)
        self.signed = False
        self._runs: set[str] = set()

    def sign_on(self, db: sqlite3.Connection) -> None:
        """Before the first claim or run; also clears away what the dead have left."""
        if not self.signed:
            self.bury(db)
            self._sign(db)
            self.signed = True

    def stay_alive(self) -> None:
        if self.signed:
            with self._database.driver() as db:
                self._sign(db)

    def work_on(self, db: sqlite3.Connection, run: str) -> None:
        self._runs.add(run)
        self.sign_on(db)
        db.execute(_WORK, (run, self.id))

    def leave(self, db: sqlite3.Connection, run: str) -> None:
        self._runs.discard(run)
        db.execute(_LEAVE, (run, self.id))
        self.sign_off(db)

    def sign_off(self, db: sqlite3.Connection) -> None:
        """Unless something is still ours."""
        if self.signed and db.execute(_SIGN_OFF, (self.id,)).rowcount:
            self.signed = False

    def bury(self, db: sqlite3.Connection, suspected: Set[str] = frozenset()) -> bool:
        """Forgets the dead and what was theirs; whether one of the suspected was among them.

        Their runs keep the time when they were last heard of.
        """
        heard = {owner: seen for owner, seen, *_ in db.execute(_ALL).fetchall()}
        alive = living(db) | {self.id}
        dead = (heard.keys() | suspected) - alive
        for owner in dead:
            if owner in heard:
                db.execute(_LAST_HEARD, (at(heard[owner]), owner))
            for query in _FORGET:
                db.execute(query, (owner,))
        return bool(dead & suspected)

    def close(self) -> None:
        if self._runs:
            with self._database.driver() as db:
                for run in tuple(self._runs):
                    self.leave(db, run)

    def _sign(self, db: sqlite3.Connection) -> None:
        db.execute(_SIGN, (self.id, _here(), os.getpid(), time.time(), time.monotonic()))
        # Where we were late, others have taken us for dead and cleared us away.
        db.executemany(_WORK, [(run, self.id) for run in self._runs])


def worked_on(db: sa.Connection) -> dict[str, str | None]:
    """Runs that were begun and not ended: None where somebody who lives works on it, otherwise the
    time when the last one was heard of."""
    who = tables.owners.c
    query = sa.select(tables.workers.c.run, who.seen, who.host, who.pid, who.ticks).join_from(
        tables.workers, tables.owners, tables.workers.c.owner == who.id
    )
    found: dict[str, str | None] = {}
    for run, seen, *where in db.execute(query.order_by(who.seen)):
        found[run] = None if _lives(seen, *where) or found.get(run, "") is None else at(seen)
    return found


def living(db: sqlite3.Connection) -> set[str]:
    """The ids of all owners that live."""
    return {owner for owner, seen, *where in db.execute(_ALL).fetchall() if _lives(seen, *where)}


@cache
def _here() -> str:
    """Where a process number means the same: each container may count its own, on one host name."""
    host = socket.gethostname()
    with suppress(OSError):  # only Linux has it
        return f"{host} {Path('/proc/self/ns/pid').readlink()}"
    return host


def _lives(seen: float, host: str, pid: int, ticks: float) -> bool:
    if host != _here():
        return abs(time.time() - seen) <= _LEASE  # a clock that was set back must not hold us up
    if not 0 <= time.monotonic() - ticks <= _LEASE:  # below 0: the machine has started anew
        return False
    try:
        os.kill(pid, 0)  # only asks; on this machine nobody has to wait for the lease to end
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it is there, and not ours
    return True
