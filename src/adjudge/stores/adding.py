"""Makes a run that a cluster has kept as Parquet files a run of a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from typing import NamedTuple

from adjudge.core.reason import Reason
from adjudge.errors import StoreError

from .codec import encode
from .copying import (
    AT_ONCE,
    add_spending,
    insert_run,
    note_state,
    noted,
    take_secret,
    wanted,
)
from .folders import Folder
from .parquet_store import FileRuns, open_parquet
from .records import RunRecord
from .store import PARQUET, Store
from .verdict_files import VerdictFiles


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
    kept = {"manifest": encode(asdict(record.manifest)), "sources": encode(record.sources)}
    is_new = insert_run(store, record, asdict(record) | kept)
    count, entries = 0, files.entries()
    while some := list(islice(entries, AT_ONCE)):
        count += len(some)
        with store.database.writing() as db:
            store.verdicts.put(record.id, wanted(db, record.id, some))
    add_spending(store, source, record, noted(store, source, record.id))
    if not is_new:
        note_state(store, record)
    return count
