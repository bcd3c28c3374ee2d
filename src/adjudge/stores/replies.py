"""The reply cache, with claims that keep two processes from asking the same."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence

import sqlalchemy as sa

from adjudge.core.reply import Reply

from . import tables
from .codec import decode_reply, encode_reply
from .database import Database, Statement, Upsert, key_in, parameter, portions
from .owners import Owner
from .packing import pack, unpack
from .records import SEAL, CacheInfo, Claimed, KeptReply

_HASH = 64  # hexadecimal digits of a key
_SEALED = b"\x02"  # before the bytes of a sealed text, which JSON could only hold as more letters

_replies, _claims = tables.replies.c, tables.claims.c
_OURS = _claims.owner == parameter("owner_id")
_PUT = Upsert(tables.replies, ["key"], update=["run", "model", "content"])
_CLAIM = Upsert(tables.claims, ["key"])
_KEPT = Statement(
    sa.select(_replies.key, _replies.run, _replies.model, _replies.content).where(
        key_in(_replies.key)
    )
)
_THERE = Statement(sa.select(_replies.key).where(key_in(_replies.key)))
_CLAIMED = Statement(sa.select(_claims.key, _claims.owner).where(key_in(_claims.key)))
_ANSWERED = Statement(sa.delete(tables.claims).where(key_in(_claims.key)))
_RELEASE = Statement(sa.delete(tables.claims).where(key_in(_claims.key), _OURS))
_RELEASE_ALL = Statement(sa.delete(tables.claims).where(_OURS))


class Replies:
    """The reply cache, and who is asking what just now."""

    def __init__(self, database: Database, owner: Owner) -> None:
        self._database, self._owner = database, owner

    def claim(self, keys: Sequence[str]) -> Claimed:
        """The replies that are there; the other keys become ours unless another process asks."""
        kept: dict[str, KeptReply] = {}
        ours: set[str] = set()
        with self._database.writing() as db:
            for some in portions(keys):
                there = self._there(db, some)
                ours |= self._claim(db, set(some) - there.keys())
                kept |= there
        return Claimed(kept, frozenset(ours))

    def have(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that a reply is kept for; nothing is claimed."""
        with self._database.reading() as db:
            places = {_place(key): key for key in keys}
            some = portions([*places])
            return {places[key] for keys in some for (key,) in _THERE.run(db, keys)}

    def read(self, keys: Sequence[str]) -> dict[str, KeptReply]:
        """The replies that are kept under these keys; nothing is claimed."""
        with self._database.reading() as db:
            return {k: kept for some in portions(keys) for k, kept in self._there(db, some).items()}

    def put(self, replies: Sequence[KeptReply]) -> None:
        """Keeps the replies and releases the claims on their keys."""
        if not replies:
            return
        rows = [(_place(key), run, model, _content(reply)) for key, run, model, reply in replies]
        with self._database.writing() as db:
            self._database.put(db, _PUT, rows)
            for some in portions([reply.key for reply in replies]):
                _ANSWERED.run(db, some)

    def release(self, keys: Sequence[str] | None = None) -> None:
        """Releases our claims on these keys, or all of them."""
        if not self._owner.signed or (keys is not None and not keys):
            return
        with self._database.writing() as db:
            if keys is None:
                _RELEASE_ALL.run(db, owner_id=self._owner.id)
                self._owner.sign_off(db)
            else:
                for some in portions(keys):
                    _RELEASE.run(db, some, owner_id=self._owner.id)

    def info(self) -> CacheInfo:
        size = sa.func.coalesce(sa.func.sum(sa.func.length(_replies.content)), 0)
        by_model = sa.select(_replies.model, sa.func.count(), size).group_by(_replies.model)
        with self._database.reading() as db:
            rows = list(db.execute(by_model.order_by(_replies.model)))
        models = {model: count for model, count, _ in rows}
        return CacheInfo(sum(models.values()), sum(row[2] for row in rows), models)

    def clear(self) -> int:
        """Forgets all replies, and says how many; verdicts keep their own copies."""
        with self._database.writing() as db:
            return db.execute(sa.delete(tables.replies)).rowcount

    @staticmethod
    def _there(db: sa.Connection, keys: Sequence[str]) -> dict[str, KeptReply]:
        places = {_place(key): key for key in keys}
        return {
            key: KeptReply(key, run, model, _reply(content))
            for place, run, model, content in _KEPT.run(db, [*map(_place, keys)])
            for key in (places[place],)
        }

    def _claim(self, db: sa.Connection, keys: set[str]) -> set[str]:
        if not keys:
            return set()
        self._owner.sign_on(db)
        rows = [(key, self._owner.id) for key in keys]
        self._database.put(db, _CLAIM, rows)
        others = self._others(db, keys)
        if others and self._owner.clear_dead(db, set(others.values())):
            self._database.put(db, _CLAIM, rows)
            others = self._others(db, keys)
        return keys - others.keys()

    def _others(self, db: sa.Connection, keys: set[str]) -> dict[str, str]:
        """Which of the keys somebody else has claimed, and who."""
        (some,) = portions([*keys])
        return {key: owner for key, owner in _CLAIMED.run(db, some) if owner != self._owner.id}


def _place(key: str) -> bytes:
    """What a reply is kept under."""
    try:
        return bytes.fromhex(key) if len(key) == _HASH else key.encode()
    except ValueError:
        return key.encode()


def _content(reply: Reply) -> bytes:
    if reply.text.startswith(SEAL):
        return _SEALED + b64decode(reply.text[len(SEAL) :])
    return pack(encode_reply(reply))


def _reply(content: bytes) -> Reply:
    if content.startswith(_SEALED):
        return Reply(text=SEAL + b64encode(content[len(_SEALED) :]).decode())
    return decode_reply(unpack(content))
