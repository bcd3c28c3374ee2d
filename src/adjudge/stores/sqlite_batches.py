"""Provider batches in SQLite."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from . import tables
from .database import Database
from .records import KeptBatch
from .times import now

_columns = tables.batches.c


class SqliteBatches:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, batch: KeptBatch) -> None:
        values = {"batch": batch.batch, "state": batch.state}
        new = insert(tables.batches).values(
            label=batch.label,
            run=batch.run,
            model=batch.model,
            requests=batch.requests,
            made=now(),
            **values,
        )
        with self._database.writing() as db:
            db.execute(new.on_conflict_do_update(index_elements=["label"], set_=values))

    def open_of(self, run: str, model: str) -> list[KeptBatch]:
        query = sa.select(tables.batches).where(
            _columns.run == run, _columns.model == model, _columns.state == "open"
        )
        with self._database.reading() as db:
            return [
                KeptBatch(row.label, row.run, row.model, row.requests, row.batch, row.state)
                for row in db.execute(query.order_by(_columns.made))
            ]
