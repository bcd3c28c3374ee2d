"""The reply cache in SQLite, with claims that keep two processes from asking the same."""

from __future__ import annotations

import os
import secrets
import socket
import sqlite3
import time
from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from . import tables
from .base import CacheInfo, KeptReply, Taken
from .codec import decode_reply, encode
from .database import Database
from .times import now

_LEASE = 30.0  # seconds after which a process that was not heard of has lost its claims
_IN = 32  # keys in one query

_replies = tables.replies.c


# In the driver's own form: these run once or more for every request, thousands in a second.
_PLACES = ", ".join("?" * _IN)
_KEPT = f"SELECT key, run, model, content FROM replies WHERE key IN ({_PLACES})"  # noqa: S608
_CLAIMED = f"SELECT key, owner FROM claims WHERE key IN ({_PLACES})"  # noqa: S608
_PUT = "INSERT OR REPLACE INTO replies (key, run, model, kept, content) VALUES (?, ?, ?, ?, ?)"
_CLAIM = "INSERT OR IGNORE INTO claims (key, owner) VALUES (?, ?)"
_ANSWERED = "DELETE FROM claims WHERE key = ?"
_GIVE_UP = "DELETE FROM claims WHERE key = ? AND owner = ?"
_SIGN = "INSERT OR REPLACE INTO owners (id, host, pid, seen) VALUES (?, ?, ?, ?)"


class SqliteReplies:
    """Claims belong to an opened store, not to a process: one process may run twice at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._owner = secrets.token_hex(8)
        self._known = False

    def take(self, keys: Sequence[str]) -> Taken:
        kept: dict[str, KeptReply] = {}
        ours: set[str] = set()
        with self._database.driver() as db:
            for some in _portions(keys):
                found = {
                    key: KeptReply(key, run, model, decode_reply(content))
                    for key, run, model, content in db.execute(_KEPT, some)
                }
                ours |= self._claim(db, set(some) - found.keys())
                kept |= found
        return Taken(kept, frozenset(ours))

    def have(self, keys: Sequence[str]) -> set[str]:
        with self._database.reading() as db:
            rows = (db.exec_driver_sql(_KEPT, some) for some in _portions(keys))
            return {row.key for some in rows for row in some}

    def put(self, replies: Sequence[KeptReply]) -> None:
        if not replies:
            return
        at = now()
        rows = [(each.key, each.run, each.model, at, encode(each.reply)) for each in replies]
        with self._database.driver() as db:
            db.executemany(_PUT, rows)
            db.executemany(_ANSWERED, [(each.key,) for each in replies])

    def give_up(self, keys: Sequence[str] | None = None) -> None:
        if not self._known or (keys is not None and not keys):
            return
        with self._database.driver() as db:
            if keys is None:
                _forget(db, {self._owner})
                self._known = False
            else:
                db.executemany(_GIVE_UP, [(key, self._owner) for key in keys])

    def stay_alive(self) -> None:
        if self._known:
            with self._database.driver() as db:
                self._sign(db)

    def info(self) -> CacheInfo:
        size = sa.func.coalesce(sa.func.sum(sa.func.length(_replies.content)), 0)
        by_model = sa.select(_replies.model, sa.func.count(), size).group_by(_replies.model)
        with self._database.reading() as db:
            rows = list(db.execute(by_model.order_by(_replies.model)))
        models = {model: count for model, count, _ in rows}
        return CacheInfo(sum(models.values()), sum(row[2] for row in rows), models)

    def clear(self) -> int:
        with self._database.writing() as db:
            return db.execute(sa.delete(tables.replies)).rowcount

    def _claim(self, db: sqlite3.Connection, keys: set[str]) -> set[str]:
        if not keys:
            return set()
        if not self._known:
            self._sign(db)
            self._known = True
        rows = [(key, self._owner) for key in keys]
        db.executemany(_CLAIM, rows)
        others = self._others(db, keys)
        if others and _bury(db, set(others.values())):
            db.executemany(_CLAIM, rows)
            others = self._others(db, keys)
        return keys - others.keys()

    def _others(self, db: sqlite3.Connection, keys: set[str]) -> dict[str, str]:
        """Which of the keys somebody else has claimed, and who."""
        (some,) = _portions([*keys])
        return {key: owner for key, owner in db.execute(_CLAIMED, some) if owner != self._owner}

    def _sign(self, db: sqlite3.Connection) -> None:
        db.execute(_SIGN, (self._owner, socket.gethostname(), os.getpid(), time.time()))


def _portions(keys: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """As many keys as one query has room for, the last one repeated where there are fewer: a
    statement that stays the same is prepared once."""
    for start in range(0, len(keys), _IN):
        some = tuple(keys[start : start + _IN])
        yield some + some[-1:] * (_IN - len(some))


def _bury(db: sqlite3.Connection, owners: set[str]) -> bool:
    """Removes the claims of those that live no more; whether there were any."""
    rows = db.execute("SELECT id, host, pid, seen FROM owners").fetchall()
    alive = {owner for owner, *where in rows if _lives(*where)}
    dead = owners - alive
    _forget(db, dead)
    return bool(dead)


def _forget(db: sqlite3.Connection, owners: set[str]) -> None:
    rows = [(owner,) for owner in owners]
    db.executemany("DELETE FROM claims WHERE owner = ?", rows)
    db.executemany("DELETE FROM owners WHERE id = ?", rows)


def _lives(host: str, pid: int, seen: float) -> bool:
    if time.time() - seen > _LEASE:
        return False
    if host != socket.gethostname():
        return True
    try:
        os.kill(pid, 0)  # only asks; on this machine nobody has to wait for the lease to end
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it is there, and not ours
    return True
