"""Who may use the service, in SQLite."""

from __future__ import annotations

from dataclasses import asdict

import sqlalchemy as sa

from adjudge.errors import Conflict

from . import tables
from .database import Database
from .records import KeptToken
from .times import now

_columns = tables.tokens.c
_VALID = _columns.revoked.is_(None)


class SqliteTokens:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, token: KeptToken) -> None:
        values = asdict(token) | {"created": token.created or now()}
        of_its_name = sa.select(_columns.id).where(_columns.name == token.name, _VALID)
        with self._database.writing() as db:
            taken = db.execute(of_its_name).scalars().first()
            if taken is not None:
                raise Conflict(
                    f"There is a token {token.name!r} already. Choose another name, or revoke that"
                    f" one first: adjudge tokens revoke {taken}"
                )
            db.execute(sa.insert(tables.tokens).values(**values))

    def all(self) -> list[KeptToken]:
        query = sa.select(tables.tokens).order_by(_columns.created, _columns.id)
        with self._database.reading() as db:
            return [KeptToken(**row._asdict()) for row in db.execute(query)]

    def revoke(self, token_id: str, *, leave_an_admin: bool = False) -> None:
        """A token that was revoked before keeps its time."""
        admins = sa.select(_columns.id).where(_columns.scope == "admin", _VALID)
        revoked = sa.update(tables.tokens).where(_columns.id == token_id, _VALID)
        with self._database.writing() as db:
            if leave_an_admin and db.execute(admins).scalars().all() == [token_id]:
                raise Conflict(
                    "This is the last token of scope admin. Make another one first, or revoke it on"
                    f" the machine of the service: adjudge tokens revoke {token_id}"
                )
            db.execute(revoked.values(revoked=now()))
