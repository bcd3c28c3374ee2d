"""What analysis wants of a run, without the rest: a million verdicts are read in seconds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import cast

import orjson

from .base import ScoreRow
from .database import Database

# In the order in which they were kept: one walk along the file.
_SCORES = "SELECT item, judge, model, content FROM verdicts WHERE run = ? ORDER BY rowid"
_ITEMS = "SELECT item, content FROM items WHERE run = ? ORDER BY rowid"


def scores(database: Database, run_id: str) -> Iterator[ScoreRow]:
    """Every verdict of the run as its values."""
    for item, judge, model, content in _rows(database, _SCORES, run_id):
        verdict = orjson.loads(content)
        values = {name: score["value"] for name, score in verdict["scores"].items()}
        yield ScoreRow(item, judge, model, verdict["fingerprint"], values)


def column(database: Database, run_id: str, name: str) -> Iterator[tuple[str, object]]:
    """The items with their value in one column of the data; None where they have none."""
    for item, content in _rows(database, _ITEMS, run_id):
        row = orjson.loads(content)
        yield item, row["extra"].get(name, row["fields"].get(name))


def _rows(database: Database, query: str, run_id: str) -> Iterator[tuple[str, ...]]:
    """From the driver itself: SQLAlchemy would take longer to pass a row on than to read it."""
    with database.reading() as db:
        driver = cast(sqlite3.Connection, db.connection.driver_connection)
        yield from driver.execute(query, (run_id,))
