"""Verdicts with the items that they are about, in SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import sqlalchemy as sa

from adjudge.core.item import Item

from . import tables
from .codec import decode_verdict
from .database import Database
from .records import Entry, Wanted

_PAGE = 500  # verdicts held in memory at once while streaming
_items, _verdicts = tables.items.c, tables.verdicts.c
_ORDER = (_items.position, _verdicts.judge, _verdicts.model, _verdicts.repeat)


def entries(database: Database, run_id: str, item: str | None) -> Iterator[Entry]:
    """In the order of the data, streamed; of one item when it is named."""
    query = _of_run(run_id)
    if item is not None:
        query = query.where(_items.item == item)
    with database.reading() as db:
        for row in db.execute(query).yield_per(_PAGE):
            yield _entry(row)


def some_entries(database: Database, run_id: str, wanted: Wanted) -> list[Entry]:
    query = _of_run(run_id).limit(wanted.limit)
    if wanted.after is not None:
        # The first condition alone can use the index of the positions.
        query = query.where(_items.position >= wanted.after.position)
        query = query.where(sa.tuple_(*_ORDER) > sa.tuple_(*wanted.after))
    if wanted.item is not None:
        query = query.where(_items.item == wanted.item)
    if wanted.outcome is not None:
        query = query.where(_verdicts.outcome == wanted.outcome)
    with database.reading() as db:
        return [_entry(row) for row in db.execute(query)]


def _of_run(run_id: str) -> sa.Select[Any]:
    same = (_items.run == _verdicts.run) & (_items.item == _verdicts.item)
    return (
        sa.select(_items.position, _items.content, _verdicts.content)
        .join_from(tables.items, tables.verdicts, same)
        .where(_items.run == run_id)
        .order_by(*_ORDER)
    )


def _entry(row: sa.Row[Any]) -> Entry:
    position, content, verdict = tuple(row)
    decoded = decode_verdict(verdict)
    return Entry(position, Item(decoded.item, **orjson.loads(content)), decoded)
