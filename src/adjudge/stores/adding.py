"""Makes a run that a cluster has kept as Parquet files a run of a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa

from adjudge.core.reason import Reason
from adjudge.errors import StoreError

from . import tables
from .codec import encode
from .copying import AT_ONCE, NOTE, note_state, noted, take_secret, wanted
from .folders import Folder
from .parquet_store import FileRuns, open_parquet
from .records import RunRecord
from .store import PARQUET, Store
from .verdict_files import VerdictFiles

_runs = tables.runs.c


class Added(NamedTuple):
    """A run, and how many verdicts the files and the store have of it."""

    run: str
    files: int
    store: int


def add_files(place: str, store: Store, say: Callable[[str], None] = lambda _: None) -> list[Added]:
    """Adds all runs in the folder, or what is new of them; the same once more changes nothing.

    `say` hears of every run. StoreError where there is none, or verdicts are missing at the end.
    """
    place = place.removeprefix(PARQUET)
    folder = Folder(place)
    if folder.read("store.json") is None:
        raise StoreError(Reason("store.no_runs").in_file(place))
    source = open_parquet(place)
    records = FileRuns(folder).all()
    if not store.runs.all():
        take_secret(source, store)
    added = []
    for record in records:
        say(record.id)
        count = _add(VerdictFiles(folder, record.id), record, source.id, store)
        there = store.runs.progress(record.id).verdicts
        if there < count:
            short = Reason("store.copy_short", table="verdicts", source=count, destination=there)
            raise StoreError(short.in_file(place))
        added.append(Added(record.id, count, there))
    return added


def _add(files: VerdictFiles, record: RunRecord, source: str, store: Store) -> int:
    """How many verdicts the files have."""
    is_new = _add_run(record, store)
    count, entries = 0, files.entries()
    while some := list(islice(entries, AT_ONCE)):
        count += len(some)
        with store.database.writing() as db:
            store.verdicts.put(record.id, wanted(db, record.id, some))
    _add_spending(record, source, store)
    if not is_new:
        note_state(store, record)
    return count


def _add_run(record: RunRecord, store: Store) -> bool:
    """Without what it has spent; False where it is there already."""
    state = "interrupted" if record.state == "running" else record.state
    values: dict[str, Any] = asdict(replace(record, state=state, tokens=0, usd=0.0))
    values |= {"manifest": encode(asdict(record.manifest)), "sources": encode(record.sources)}
    with store.database.writing() as db:
        if db.execute(sa.select(_runs.id).where(_runs.id == record.id)).first():
            return False
        db.execute(sa.insert(tables.runs).values(**values))
        gone = tables.deletions.c.run == record.id
        db.execute(sa.delete(tables.deletions).where(gone))
    return True


def _add_spending(record: RunRecord, source: str, store: Store) -> None:
    """What is not counted yet of what the files say."""
    note = noted(store, source, record.id)
    tokens, usd = max(0, record.tokens - note.tokens), max(0.0, record.usd - note.usd)
    query = sa.update(tables.runs).where(_runs.id == record.id)
    note = note._replace(tokens=note.tokens + tokens, usd=note.usd + usd)
    with store.database.writing() as db:
        db.execute(query.values(tokens=_runs.tokens + tokens, usd=_runs.usd + usd))
        store.database.put(db, NOTE, [(source, record.id, *note)])
