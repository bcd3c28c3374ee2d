"""Who may use the service, in SQLite."""

from __future__ import annotations

from dataclasses import asdict

import sqlalchemy as sa

from . import tables
from .database import Database
from .records import KeptToken
from .times import now

_columns = tables.tokens.c


class SqliteTokens:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, token: KeptToken) -> None:
        values = asdict(token) | {"created": token.created or now()}
        with self._database.writing() as db:
            db.execute(sa.insert(tables.tokens).values(**values))

    def all(self) -> list[KeptToken]:
        query = sa.select(tables.tokens).order_by(_columns.created, _columns.id)
        with self._database.reading() as db:
            return [KeptToken(**row._asdict()) for row in db.execute(query)]

    def revoke(self, token_id: str) -> None:
        """A token that was revoked before keeps its time."""
        where = (_columns.id == token_id) & _columns.revoked.is_(None)
        with self._database.writing() as db:
            db.execute(sa.update(tables.tokens).where(where).values(revoked=now()))
