"""What was found out about judges, each time that it was: calibrations, probes, cascades.

The content of each is made of what JSON can hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
import sqlalchemy as sa

from . import tables
from .codec import now
from .database import Database, Upsert
from .records import KeptFinding

_calibrations, _probes, _cascades = tables.calibrations.c, tables.probes.c, tables.cascades.c


class Calibrations:
    """How judges relate to people. Earlier ones stay: what a gate was judged by can be looked up
    later."""

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

    def latest(self, judge: str, model: str) -> KeptFinding | None:
        return next(self._latest_first(judge, model), None)

    def of(self, judge: str, model: str, fingerprint: str) -> Iterator[KeptFinding]:
        """Those of one fingerprint, the latest first."""
        return self._latest_first(judge, model, _calibrations.fingerprint == fingerprint)

    def _latest_first(
        self, judge: str, model: str, *more: sa.ColumnElement[bool]
    ) -> Iterator[KeptFinding]:
        """One query each: mostly the first is wanted, and each may hold many pairs."""
        query = sa.select(tables.calibrations).where(
            _calibrations.judge == judge, _calibrations.model == model, *more
        )
        query = query.order_by(_calibrations.id.desc()).limit(1)
        before: sa.ColumnElement[bool] = sa.true()
        while True:
            with self._database.reading() as db:
                row = db.execute(query.where(before)).first()
            if row is None:
                return
            before = _calibrations.id < row.id
            yield _finding(row)


def _finding(row: sa.Row[Any]) -> KeptFinding:
    content = orjson.loads(row.content)
    return KeptFinding(row.judge, row.model, row.fingerprint, row.created, content)


class Probes:
    """What probing judges found out. One row per model, each with all that was found; earlier ones
    stay."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(
        self, judge: str, models: Sequence[str], fingerprint: str, content: Mapping[str, Any]
    ) -> None:
        """The content is about all the models."""
        shared = {
            "judge": judge,
            "fingerprint": fingerprint,
            "created": now(),
            "content": orjson.dumps(dict(content)),
        }
        with self._database.writing() as db:
            db.execute(sa.insert(tables.probes), [shared | {"model": name} for name in models])

    def latest(self, judge: str, model: str) -> KeptFinding | None:
        query = sa.select(tables.probes).where(_probes.judge == judge, _probes.model == model)
        with self._database.reading() as db:
            row = db.execute(query.order_by(_probes.id.desc()).limit(1)).first()
        return None if row is None else _finding(row)


_PUT_CASCADE = Upsert(
    tables.cascades, ["run"], update=["judge", "fingerprint", "created", "content"]
)


class Cascades:
    """What cascades came to, by run: the thresholds of their models. The latest holds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, run: str, judge: str, fingerprint: str, content: Mapping[str, Any]) -> None:
        row = (run, judge, fingerprint, now(), orjson.dumps(dict(content)))
        with self._database.writing() as db:
            self._database.put(db, _PUT_CASCADE, [row])

    def find(self, run: str) -> Mapping[str, Any] | None:
        """None where the run is no cascade, or not at its end."""
        query = sa.select(_cascades.content).where(_cascades.run == run)
        with self._database.reading() as db:
            content = db.execute(query).scalar_one_or_none()
        return None if content is None else orjson.loads(content)
