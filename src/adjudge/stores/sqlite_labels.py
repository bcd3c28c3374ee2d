"""What people said, in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from sys import intern

import orjson
import sqlalchemy as sa

from adjudge.core.label import Label

from . import many, tables
from .database import Database
from .records import Tally
from .sqlite_facts import driver
from .times import now

_PAGE = 500  # labels
_columns = tables.labels.c
_KEY = "data, judge, item, rater, criterion"
_PUT = f"INSERT INTO labels ({_KEY}, value, draw, created)"
_NEWER = (
    f"ON CONFLICT ({_KEY}) DO UPDATE"
    " SET value = excluded.value, draw = excluded.draw, created = excluded.created"
)

_OF = (
    "SELECT item, rater, criterion, value, draw, created FROM labels"
    " WHERE data = ? AND judge = ? ORDER BY rowid"
)


class SqliteLabels:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, data: str, judge: str, labels: Sequence[Label]) -> None:
        at = now()
        with self._database.driver() as db:
            for start in range(0, len(labels), _PAGE):
                rows = [
                    (
                        *(data, judge, each.item, each.rater, each.criterion),
                        *(orjson.dumps(each.value), each.draw, each.created or at),
                    )
                    for each in labels[start : start + _PAGE]
                ]
                many.insert(db, _PUT, rows, _NEWER)

    def of(self, data: str, judge: str) -> list[Label]:
        with driver(self._database) as db:
            return [
                Label(item, intern(rater), intern(criterion), orjson.loads(value), draw, created)
                for item, rater, criterion, value, draw, created in db.execute(_OF, (data, judge))
            ]

    def tally(self, data: str, judge: str) -> Tally:
        query = sa.select(
            sa.func.count(),
            sa.func.count(_columns.item.distinct()),
            sa.func.count(_columns.rater.distinct()),
        ).where(_columns.data == data, _columns.judge == judge)
        with self._database.reading() as db:
            return Tally(*db.execute(query).one())

    def remove(
        self, data: str, judge: str, item: str, rater: str, criterion: str | None = None
    ) -> int:
        query = sa.delete(tables.labels).where(
            _columns.data == data,
            _columns.judge == judge,
            _columns.item == item,
            _columns.rater == rater,
        )
        if criterion is not None:
            query = query.where(_columns.criterion == criterion)
        with self._database.writing() as db:
            return db.execute(query).rowcount
