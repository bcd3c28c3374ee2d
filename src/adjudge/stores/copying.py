"""Brings what one store holds to another one, whatever databases they are.

What is there stays: a verdict is replaced only where it has no answer there and one here. So parts
of a run that were made apart become one run, and the same copy once more changes nothing. Some
rows are one commit, with a note of how far it is; what was cut off continues from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from adjudge.core.reason import Reason
from adjudge.core.score import UNANSWERED
from adjudge.errors import StoreError, UsageError

from . import tables
from .database import Upsert
from .records import Entry, JobState, RunRecord, State
from .store import Store
from .verdicts import WHOLE, entry_of

AT_ONCE = 500  # rows of a commit
_ENDED: tuple[JobState, ...] = (
    "finished",
    "failed",
    "stopped",
)  # jobs; others need what was sent with them
_runs, _items, _verdicts, _copies = (
    table.c for table in (tables.runs, tables.items, tables.verdicts, tables.copies)
)
NOTE = Upsert(tables.copies, ["source", "run"], update=["version", "upto", "tokens", "usd"])
# Rows that are there stay.
_ROWS = (
    Upsert(tables.replies, ["key"]),
    Upsert(tables.cascades, ["run"]),
    Upsert(tables.batches, ["label"]),
    Upsert(tables.tokens, ["id"]),
    Upsert(tables.jobs, ["id"]),
    Upsert(tables.label_plans, ["data", "judge"]),
    Upsert(tables.labels, ["data", "judge", "item", "rater", "criterion"]),
)
_Say = Callable[[str], None]


class Count(NamedTuple):
    """How many rows of a table the source has, and how many the destination has of the same runs,
    or in all."""

    table: str
    source: int
    destination: int


class Note(NamedTuple):
    version: int = 0
    upto: int = 0
    tokens: int = 0
    usd: float = 0.0


NO_NOTE = Note()


def copy_store(source: Store, destination: Store, say: _Say = lambda _: None) -> list[Count]:
    """Copies everything but who has the source open and what its service has not ended.

    `say` hears of every run. StoreError where something is missing at the end.
    """
    if source.id == destination.id:
        raise UsageError(Reason("store.same"))
    if not destination.runs.all():
        take_secret(source, destination)
    for record in reversed(source.runs.all()):
        say(record.id)
        _copy_run(source, destination, record)
    for rows in _ROWS:
        _copy_rows(source, destination, rows)
    for table in (tables.calibrations, tables.probes):
        _copy_findings(source, destination, table)
    counts = _counts(source, destination)
    for count in counts:
        if count.destination < count.source:
            raise StoreError(Reason("store.copy_short", **count._asdict()).in_file(source.where))
    return counts


def take_secret(source: Store, destination: Store) -> None:
    """The requests of a run bear it: with the same one, the copied replies answer them."""
    secret = tables.meta.c.key == "secret"
    with destination.database.writing() as db:
        db.execute(sa.update(tables.meta).where(secret).values(value=source.secret.hex()))


def _copy_run(source: Store, destination: Store, record: RunRecord) -> None:
    run, version = record.id, source.verdicts.version(record.id)
    note = noted(destination, source.id, run)
    if note.version != version:  # what was read again since has the number that it had
        note = note._replace(version=version, upto=0)
    with source.database.reading() as db:
        row = db.execute(sa.select(tables.runs).where(_runs.id == run)).one()
    is_new = insert_run(destination, record, row._asdict())
    for upto, entries in _entries_after(source, run, note.upto):
        note = note._replace(upto=upto)
        with destination.database.writing() as db:
            destination.verdicts.put(run, wanted(db, run, entries))
            destination.database.put(db, NOTE, [(source.id, run, *note)])
    add_spending(destination, source.id, record, note, noted(source, destination.id, run))
    if not is_new:
        note_state(destination, record)


def noted(store: Store, source: str, run: str) -> Note:
    query = sa.select(_copies.version, _copies.upto, _copies.tokens, _copies.usd)
    with store.database.reading() as db:
        row = db.execute(query.where(_copies.source == source, _copies.run == run)).first()
    return Note(*row) if row else NO_NOTE


def insert_run(destination: Store, record: RunRecord, row: Mapping[str, Any]) -> bool:
    """The row of the run, without what it has spent; False where it is there already."""
    state = "interrupted" if record.state == "running" else record.state
    values = {**row, "state": state, "ended": record.ended, "tokens": 0, "usd": 0.0}
    with destination.database.writing() as db:
        if db.execute(sa.select(_runs.id).where(_runs.id == record.id)).first():
            return False
        db.execute(sa.insert(tables.runs).values(**values))
        db.execute(sa.delete(tables.deletions).where(tables.deletions.c.run == record.id))
    return True


def _entries_after(source: Store, run: str, number: int) -> Iterator[tuple[int, list[Entry]]]:
    """With the number of the last one, some at a time."""
    same = (_items.run == _verdicts.run) & (_items.item == _verdicts.item)
    of_entry = (_items.position, _items.fields, _items.extra, *WHOLE)
    query = (
        sa.select(*of_entry, _verdicts.number)
        .join_from(tables.verdicts, tables.items, same)
        .where(_verdicts.run == run)
        .order_by(_verdicts.number)
        .limit(AT_ONCE)
    )
    while True:
        with source.database.reading() as db:
            rows = db.execute(query.where(_verdicts.number > number)).all()
        if not rows:
            return
        number = rows[-1].number
        yield number, [entry_of(tuple(row)[:-1]) for row in rows]


def wanted(db: sa.Connection, run: str, entries: Sequence[Entry]) -> list[Entry]:
    """Those that the store does not have, or has no answer in where there is one."""
    query = sa.select(
        *(_verdicts.item, _verdicts.judge, _verdicts.model, _verdicts.repeat, _verdicts.outcome)
    ).where(_verdicts.run == run, _verdicts.item.in_([entry.item.id for entry in entries]))
    there = {tuple(key): outcome for *key, outcome in db.execute(query)}
    return [
        entry
        for entry in entries
        if (outcome := there.get(_key(entry))) is None
        or (outcome in UNANSWERED and entry.verdict.outcome not in UNANSWERED)
    ]


def _key(entry: Entry) -> tuple[str, str, str, int]:
    verdict = entry.verdict
    return verdict.item, verdict.judge, verdict.model, verdict.repeat


def add_spending(
    destination: Store, source: str, record: RunRecord, note: Note, ours: Note = NO_NOTE
) -> None:
    """What was spent there and is not counted here; `ours` is what came from here."""
    tokens = max(0, record.tokens - ours.tokens - note.tokens)
    usd = max(0.0, record.usd - ours.usd - note.usd)
    note = note._replace(tokens=note.tokens + tokens, usd=note.usd + usd)
    query = sa.update(tables.runs).where(_runs.id == record.id)
    with destination.database.writing() as db:
        db.execute(query.values(tokens=_runs.tokens + tokens, usd=_runs.usd + usd))
        destination.database.put(db, NOTE, [(source, record.id, *note)])


def note_state(destination: Store, record: RunRecord) -> None:
    """A run that has all its verdicts now is finished."""
    there = destination.runs.find(record.id)
    whole = record.whole
    done = destination.runs.progress(record.id).verdicts
    finished = record.state == "finished" if whole is None else done >= whole
    state: State = "finished" if finished else there.state
    ended = max(filter(None, (record.ended, there.ended)), default=None)
    query = sa.update(tables.runs).where(_runs.id == record.id)
    if there.state not in ("running", state):
        with destination.database.writing() as db:
            db.execute(query.values(state=state, ended=ended))


def _copy_rows(source: Store, destination: Store, rows: Upsert) -> None:
    """By the order of their keys, or of their numbers."""
    table, columns = rows.table, [rows.table.c[name] for name in rows.columns]
    order = table.c.number if "number" in table.c else columns[0]
    query = sa.select(*columns, order.label("place")).order_by(order).limit(AT_ONCE)
    if table is tables.jobs:
        query = query.where(table.c.state.in_(_ENDED))
    last: Any = None
    while True:
        with source.database.reading() as db:
            after = sa.true() if last is None else order > last
            some = [tuple(row) for row in db.execute(query.where(after))]
        if not some:
            return
        last = some[-1][-1]
        with destination.database.writing() as db:
            destination.database.put(db, rows, [row[:-1] for row in some])


def _copy_findings(source: Store, destination: Store, table: sa.Table) -> None:
    """Those that are not there yet, the earliest first."""
    columns = [column for column in table.c if column.name != "id"]
    query = sa.select(*columns).order_by(table.c.id)
    with source.database.reading() as db:
        rows = [row._asdict() for row in db.execute(query)]
    with destination.database.writing() as db:
        there = {tuple(row) for row in db.execute(query)}
        new = [row for row in rows if tuple(row.values()) not in there]
        if new:
            db.execute(sa.insert(table), new)


def _counts(source: Store, destination: Store) -> list[Count]:
    """Of the runs of the source, as far as a table names runs."""
    counted = (tables.runs, tables.items, tables.verdicts, tables.replies, tables.labels)
    with source.database.reading() as db:
        runs = list(db.execute(sa.select(_runs.id)).scalars())
    counts = []
    for table in counted:
        query = sa.select(sa.func.count()).select_from(table)
        if table in (tables.items, tables.verdicts):
            query = query.where(table.c.run.in_(runs))
        numbers = []
        for store in (source, destination):
            with store.database.reading() as db:
                numbers.append(db.execute(query).scalar_one())
        counts.append(Count(table.name, *numbers))
    return counts
