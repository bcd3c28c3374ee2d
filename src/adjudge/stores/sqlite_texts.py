"""The rows of a run with their texts, as they were kept one after the other: a walk along the file.

Texts are hundreds of megabytes. By an index, SQLite would jump about in the file, and copy all of
them to sort them; so the walk goes by the rows' own numbers, of which it looks up the ends first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, Literal

from .database import Database
from .records import Place, Texts
from .sqlite_facts import driver

_ROWS = 32  # at once: so few that they are in the processor's cache when they are looked at
_NEXT: dict[str, Literal["verdicts", "end"]] = {"items": "verdicts", "verdicts": "end"}


def walk(
    db: sqlite3.Connection, table: Literal["items", "verdicts"], columns: str, run_id: str
) -> Iterator[tuple[Any, ...]]:
    """These columns of all rows of the run."""
    cursor = _walk(db, table, columns, (*_ends(db, table, run_id), run_id))
    return chain.from_iterable(iter(partial(cursor.fetchmany, _ROWS), []))


def texts(database: Database, run_id: str, after: Place) -> Iterator[Texts]:
    """From there to the end; the last one says so."""
    table, row, last = after
    with driver(database) as db:
        while table != "end":
            if last is None:
                row, last = _ends(db, table, run_id)
            cursor = _walk(db, table, "rowid, item, content", (row, last, run_id))
            while rows := cursor.fetchmany(_ROWS):
                yield Texts(Place(table, rows[-1][0], last), rows)
            table, last = _NEXT[table], None
            yield Texts(Place(table), [])


def _ends(db: sqlite3.Connection, table: str, run_id: str) -> tuple[int, int]:
    """The numbers before the first row of the run and of the last one, which an index knows."""
    query = f"SELECT min(rowid) - 1, max(rowid) FROM {table} WHERE run = ?"  # noqa: S608 - ours
    ((before, last),) = db.execute(query, (run_id,)).fetchall()
    return (0, 0) if last is None else (before, last)


def _walk(
    db: sqlite3.Connection, table: str, columns: str, where: tuple[int, int, str]
) -> sqlite3.Cursor:
    query = f"SELECT {columns} FROM {table}"  # noqa: S608 - ours
    # The plus keeps SQLite from going by an index.
    return db.execute(f"{query} WHERE rowid > ? AND rowid <= ? AND +run = ? ORDER BY rowid", where)
