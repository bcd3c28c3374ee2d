"""How judges relate to people, in SQLite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from . import tables
from .base import KeptCalibration
from .database import Database
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
        query = sa.select(_columns.fingerprint, _columns.created, _columns.content).where(
            _columns.judge == judge, _columns.model == model
        )
        with self._database.reading() as db:
            found = db.execute(query.order_by(_columns.id.desc()).limit(1)).first()
        if found is None:
            return None
        content = orjson.loads(found.content)
        return KeptCalibration(judge, model, found.fingerprint, found.created, content)
