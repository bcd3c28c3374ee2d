"""What pages look up about a run, in SQLite: the figures of its verdicts, and texts of a few items.

Reads go to the driver itself: SQLAlchemy would take longer to pass a row on than to read it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import orjson

from adjudge.core.item import Item

from . import many
from .database import Database, driver_of
from .facts import block, groups_of, merged, packed
from .records import Entry, Facts, Progress

_FOLD = 128  # blocks that are made one, so that single verdicts do not stay a row each
_LARGE = 1024  # verdicts of a block that is large enough to stay as it is

PUT = (
    "INSERT INTO facts (run, change, verdicts, content) VALUES"
    " (?1, (SELECT coalesce(max(change), 0) + 1 FROM facts WHERE run = ?1), ?2, ?3)"
    " RETURNING change"
)
_LATELY = "SELECT change, verdicts, content FROM facts WHERE run = ? AND change > ? ORDER BY change"
_FOLDED = "UPDATE facts SET verdicts = ?, content = ? WHERE run = ? AND change = ?"
_DROP = "DELETE FROM facts WHERE run = ? AND change >= ? AND change < ?"
_MARK = "SELECT coalesce(max(change), 0) FROM facts WHERE run = ?"
_FACTS = "SELECT content FROM facts WHERE run = ? ORDER BY change"
_PROGRESS = "SELECT outcome, verdicts FROM tallies WHERE run = ? AND verdicts > 0"
_IDS = "SELECT item FROM items WHERE run = ? ORDER BY position"
_ITEMS = f"SELECT item, content FROM items WHERE run = ? AND item IN {many.PLACES}"  # noqa: S608
_HOLDING = (
    "SELECT other.run FROM runs CROSS JOIN items AS other"  # CROSS: a look into each run
    " WHERE other.run = runs.id AND other.item = ?2"
    " AND other.content = (SELECT content FROM items WHERE run = ?1 AND item = ?2)"
    " ORDER BY coalesce(runs.ended, runs.started) DESC"
)


def put(db: sqlite3.Connection, run_id: str, entries: Sequence[Entry]) -> None:
    """Inside the transaction that keeps the verdicts themselves."""
    figures = {
        (each.judge, each.model, each.repeat, each.item): packed(position, each)
        for position, _, each in entries
    }
    ((change,),) = db.execute(PUT, (run_id, len(figures), block(figures))).fetchall()
    if change % _FOLD == 0:
        _fold(db, run_id, change - _FOLD)


def _fold(db: sqlite3.Connection, run_id: str, after: int) -> None:
    """Makes neighbouring small blocks one; the order of time stays."""
    small: list[tuple[int, bytes]] = []

    def one_of_them() -> None:
        if len(small) > 1:
            first, last = small[0][0], small[-1][0]
            figures = merged(content for _, content in small)
            db.execute(_FOLDED, (len(figures), block(figures), run_id, last))
            db.execute(_DROP, (run_id, first, last))
        small.clear()

    held = 0
    for change, verdicts, content in db.execute(_LATELY, (run_id, after)).fetchall():
        if verdicts >= _LARGE or held + verdicts > 4 * _LARGE:
            one_of_them()
            held = 0
        if verdicts < _LARGE:
            small.append((change, content))
            held += verdicts
    one_of_them()


def mark(database: Database, run_id: str) -> int:
    with driver(database) as db:
        ((change,),) = db.execute(_MARK, (run_id,))
    return int(change)


def progress(database: Database, run_id: str) -> Progress:
    with driver(database) as db:
        counted = db.execute(_PROGRESS, (run_id,)).fetchall()
    outcomes = dict(sorted(counted, key=lambda each: (-each[1], each[0])))
    return Progress(sum(outcomes.values()), outcomes)


def facts(database: Database, run_id: str) -> Iterator[Facts]:
    with driver(database) as db:
        for (content,) in db.execute(_FACTS, (run_id,)):
            for group, _ in groups_of(content):
                yield group


def item_ids(database: Database, run_id: str) -> list[str]:
    with driver(database) as db:
        return [item for (item,) in db.execute(_IDS, (run_id,))]


def contents(database: Database, run_id: str, items: Sequence[str]) -> dict[str, Item]:
    found = {}
    with driver(database) as db:
        for some in many.portions(items):
            for item, content in db.execute(_ITEMS, (run_id, *some)):
                found[item] = Item(item, **orjson.loads(content))
    return found


def holding(database: Database, run_id: str, item: str) -> list[str]:
    with driver(database) as db:
        return [run for (run,) in db.execute(_HOLDING, (run_id, item))]


@contextmanager
def driver(database: Database) -> Iterator[sqlite3.Connection]:
    with database.reading() as db:
        yield driver_of(db)
