"""The items of runs, with their texts and the columns of the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson
import sqlalchemy as sa

from adjudge.core.item import Item

from . import tables
from .database import Database, Statement, key_in, parameter, portions
from .packing import unpack
from .verdicts import Walk

_items = tables.items.c
_RUN = parameter("run_id")
_IDS = Statement(sa.select(_items.item).where(_items.run == _RUN).order_by(_items.position))
_GET = Statement(
    sa.select(_items.item, _items.fields, _items.extra).where(
        _items.run == _RUN, key_in(_items.item)
    )
)
# Looks into each run, by the index of its items: joined, SQLite would read all items of all runs.
_IN_RUNS = Statement(
    sa.select(_items.run, _items.fields, _items.extra).where(
        _items.run.in_(sa.select(tables.runs.c.id)), _items.item == parameter("item_id")
    )
)
_POSITION = (
    sa.select(_items.position)
    .where(_items.run == _RUN, _items.item == parameter("item_id"))
    .scalar_subquery()
)
_BESIDE = [
    Statement(sa.select(_items.item).where(_items.run == _RUN, side).order_by(nearest).limit(1))
    for side, nearest in (
        (_items.position < _POSITION, _items.position.desc()),
        (_items.position > _POSITION, _items.position),
    )
]
_COLUMNS = Walk(tables.items, _items.item, _items.extra, _items.fields)


class Items:
    """The items of runs; `Verdicts.put` keeps them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ids(self, run_id: str) -> list[str]:
        """The items that have a verdict, in the order of the data."""
        with self._database.reading() as db:
            return [item for (item,) in _IDS.run(db, run_id=run_id)]

    def get(self, run_id: str, items: Sequence[str]) -> dict[str, Item]:
        """These items with their texts; those that the run does not have are left out."""
        with self._database.reading() as db:
            return {
                item: Item(item, orjson.loads(unpack(fields)), orjson.loads(unpack(extra)))
                for some in portions(items)
                for item, fields, extra in _GET.run(db, some, run_id=run_id)
            }

    def beside(self, run_id: str, item: str) -> tuple[str | None, str | None]:
        """The items before and after this one in the order of the data."""
        with self._database.reading() as db:
            rows = [side.run(db, run_id=run_id, item_id=item).fetchone() for side in _BESIDE]
        before, after = (row and row[0] for row in rows)
        return before, after

    def column(self, run_id: str, name: str) -> Iterator[tuple[str, object]]:
        """The items with their value in a column of the data, None where they have none."""
        with self._database.reading() as db:
            for item, extra, fields in _COLUMNS.rows(db, run_id):
                columns = orjson.loads(unpack(extra))
                if name not in columns:
                    columns = orjson.loads(unpack(fields))
                yield item, columns.get(name)

    def runs_with(self, run_id: str, item: str) -> list[str]:
        """The ids of the runs that judged the item of this run: the same id and the same texts."""
        with self._database.reading() as db:
            contents = {
                run: (unpack(fields), unpack(extra))
                for run, fields, extra in _IN_RUNS.run(db, item_id=item)
            }
        ours = contents.get(run_id)
        return [run for run, content in contents.items() if content == ours]
