"""The items of runs, with their texts and the columns of the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson
import sqlalchemy as sa

from adjudge.core.item import Item

from . import tables
from .database import Database, Statement, key_in, parameter, portions
from .verdicts import Walk

_items, _runs = tables.items.c, tables.runs.c
_RUN = parameter("run_id")
_IDS = Statement(sa.select(_items.item).where(_items.run == _RUN).order_by(_items.position))
_GET = Statement(
    sa.select(_items.item, _items.fields, _items.extra).where(
        _items.run == _RUN, key_in(_items.item)
    )
)
_ITEM = parameter("item_id")
_mine = (_items.run == _RUN) & (_items.item == _ITEM)
_other = tables.items.alias().c
# Looks into each run, by the index of its items.
_SHARING = Statement(
    sa.select(_runs.id)
    .where(
        sa.select(_other.number)
        .where(
            _other.run == _runs.id,
            _other.item == _ITEM,
            _other.fields == sa.select(_items.fields).where(_mine).scalar_subquery(),
            _other.extra == sa.select(_items.extra).where(_mine).scalar_subquery(),
        )
        .exists()
    )
    .order_by(sa.func.coalesce(_runs.ended, _runs.started).desc())
)
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
                item: Item(item, orjson.loads(fields), orjson.loads(extra))
                for some in portions(items)
                for item, fields, extra in _GET.run(db, some, run_id=run_id)
            }

    def column(self, run_id: str, name: str) -> Iterator[tuple[str, object]]:
        """The items with their value in a column of the data, None where they have none."""
        with self._database.reading() as db:
            for item, extra, fields in _COLUMNS.rows(db, run_id):
                columns = orjson.loads(extra)
                if name not in columns:
                    columns = orjson.loads(fields)
                yield item, columns.get(name)

    def runs_with(self, run_id: str, item: str) -> list[str]:
        """The ids of the runs that judged the item of this run: the same id and the same texts."""
        with self._database.reading() as db:
            return [run for (run,) in _SHARING.run(db, run_id=run_id, item_id=item)]
