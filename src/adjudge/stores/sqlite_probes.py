"""What probing judges found out, in SQLite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
import sqlalchemy as sa

from . import tables
from .database import Database
from .records import KeptProbe
from .times import now

_columns = tables.probes.c


class SqliteProbes:
    """One row a model, each with all that was found; earlier ones stay."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(
        self, judge: str, models: Sequence[str], fingerprint: str, content: Mapping[str, Any]
    ) -> None:
        shared = {
            "judge": judge,
            "fingerprint": fingerprint,
            "created": now(),
            "content": orjson.dumps(dict(content)),
        }
        with self._database.writing() as db:
            db.execute(sa.insert(tables.probes), [shared | {"model": name} for name in models])

    def latest(self, judge: str, model: str) -> KeptProbe | None:
        query = (
            sa.select(tables.probes)
            .where(_columns.judge == judge, _columns.model == model)
            .order_by(_columns.id.desc())
            .limit(1)
        )
        with self._database.reading() as db:
            found = db.execute(query).first()
        if found is None:
            return None
        content = orjson.loads(found.content)
        return KeptProbe(judge, model, found.fingerprint, found.created, content)
