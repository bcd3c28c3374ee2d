"""The reply cache in SQLite, with claims that keep two processes from asking the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import sqlalchemy as sa

from . import many, tables
from .codec import decode_reply, encode
from .database import Database
from .records import CacheInfo, KeptReply, Taken
from .sqlite_owner import Owner
from .times import now

_replies = tables.replies.c


# In the driver's own form: these run once or more for every request, thousands in a second.
_KEPT = f"SELECT key, run, model, content FROM replies WHERE key IN {many.PLACES}"  # noqa: S608
_CLAIMED = f"SELECT key, owner FROM claims WHERE key IN {many.PLACES}"  # noqa: S608
_PUT = "INSERT OR REPLACE INTO replies (key, run, model, kept, content)"
_CLAIM = "INSERT OR IGNORE INTO claims (key, owner)"
_ANSWERED = f"DELETE FROM claims WHERE key IN {many.PLACES}"  # noqa: S608
_GIVE_UP = f"{_ANSWERED} AND owner = ?"
_GIVE_ALL_UP = "DELETE FROM claims WHERE owner = ?"


class SqliteReplies:
    def __init__(self, database: Database, owner: Owner) -> None:
        self._database, self._owner = database, owner

    def take(self, keys: Sequence[str]) -> Taken:
        kept: dict[str, KeptReply] = {}
        ours: set[str] = set()
        with self._database.driver() as db:
            for some in many.portions(keys):
                found = {
                    key: KeptReply(key, run, model, decode_reply(content))
                    for key, run, model, content in db.execute(_KEPT, some)
                }
                ours |= self._claim(db, set(some) - found.keys())
                kept |= found
        return Taken(kept, frozenset(ours))

    def have(self, keys: Sequence[str]) -> set[str]:
        with self._database.reading() as db:
            rows = (db.exec_driver_sql(_KEPT, some) for some in many.portions(keys))
            return {row.key for some in rows for row in some}

    def put(self, replies: Sequence[KeptReply]) -> None:
        if not replies:
            return
        at = now()
        rows = [(each.key, each.run, each.model, at, encode(each.reply)) for each in replies]
        with self._database.driver() as db:
            many.insert(db, _PUT, rows, "")
            for some in many.portions([each.key for each in replies]):
                db.execute(_ANSWERED, some)

    def give_up(self, keys: Sequence[str] | None = None) -> None:
        if not self._owner.signed or (keys is not None and not keys):
            return
        with self._database.driver() as db:
            if keys is None:
                db.execute(_GIVE_ALL_UP, (self._owner.id,))
                self._owner.sign_off(db)
            else:
                for some in many.portions(keys):
                    db.execute(_GIVE_UP, (*some, self._owner.id))

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
        self._owner.sign_on(db)
        rows = [(key, self._owner.id) for key in keys]
        many.insert(db, _CLAIM, rows, "")
        others = self._others(db, keys)
        if others and self._owner.bury(db, set(others.values())):
            many.insert(db, _CLAIM, rows, "")
            others = self._others(db, keys)
        return keys - others.keys()

    def _others(self, db: sqlite3.Connection, keys: set[str]) -> dict[str, str]:
        """Which of the keys somebody else has claimed, and who."""
        (some,) = many.portions([*keys])
        return {key: owner for key, owner in db.execute(_CLAIMED, some) if owner != self._owner.id}
