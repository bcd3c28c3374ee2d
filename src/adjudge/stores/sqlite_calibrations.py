"""How judges relate to people, in SQLite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from . import tables
from .database import Database
from .records import KeptCalibration
from .times import now

_columns = tables.calibrations.c


class SqliteCalibrations:
    """Earlier ones stay: what a gate was judged by can be looked up later."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, judge: str, model: str, fingerprint: str, content: Mapping[str, Any]) -> None:
        new = sa.insert(tables.calibrations).values(
            judge=judge,
            model=model,
            fingerprint=fingerprint,
            created=now(),
            content=orjson.dumps(dict(content)),
        )
        with self._database.writing() as db:
            db.execute(new)

    def latest(self, judge: str, model: str) -> KeptCalibration | None:
        return next(self._latest_first(judge, model), None)

    def of(self, judge: str, model: str, fingerprint: str) -> Iterator[KeptCalibration]:
        return self._latest_first(judge, model, _columns.fingerprint == fingerprint)

    def _latest_first(
        self, judge: str, model: str, *more: sa.ColumnElement[bool]
    ) -> Iterator[KeptCalibration]:
        """One query each: mostly the first is wanted, and each may hold many pairs."""
        query = sa.select(tables.calibrations).where(
            _columns.judge == judge, _columns.model == model, *more
        )
        query = query.order_by(_columns.id.desc()).limit(1)
        before: sa.ColumnElement[bool] = sa.true()
        while True:
            with self._database.reading() as db:
                found = db.execute(query.where(before)).first()
            if found is None:
                return
            before = _columns.id < found.id
            content = orjson.loads(found.content)
            yield KeptCalibration(judge, model, found.fingerprint, found.created, content)
