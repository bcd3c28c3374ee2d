"""Runs: when they began and ended, what they have spent, how far they are; how they are deleted.

A run is deleted with all its texts, and stays so, also where somebody still writes to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import orjson
import sqlalchemy as sa

from adjudge.core.reason import Reason
from adjudge.core.score import UNANSWERED
from adjudge.errors import Conflict, StoreError, UnknownName

from . import tables
from .codec import decode_manifest, encode, now
from .database import Database, Statement, parameter
from .facts import block
from .owners import Owner, run_claim, worked_on
from .records import Cost, DeletedRun, RunProgress, RunRecord, State
from .run_names import resolve

_runs, _deletions, _tallies, _facts = (
    table.c for table in (tables.runs, tables.deletions, tables.tallies, tables.facts)
)
_RUN = parameter("run_id")
_SPEND = Statement(
    sa.update(tables.runs)
    .where(_runs.id == _RUN)
    .values(tokens=_runs.tokens + parameter("more_tokens"), usd=_runs.usd + parameter("more_usd"))
)
_PROGRESS = Statement(
    sa.select(_tallies.outcome, _tallies.verdicts).where(
        _tallies.run == _RUN, _tallies.verdicts > 0
    )
)
_DELETED = Statement(sa.select(_deletions.run).where(_deletions.run == _RUN))
_TEXTS = (tables.items, tables.verdicts, tables.replies)
_REST = (
    *(tables.tallies, tables.facts, tables.reservations, tables.batches, tables.cascades),
    tables.jobs,  # one that nobody has in hand: no service continues it
)


class Runs:
    """The runs of a store."""

    def __init__(self, database: Database, owner: Owner) -> None:
        self._database, self._owner = database, owner

    def start(self, run: RunRecord) -> bool:
        """Notes that we work on the run from here on; True when it was there already.

        A finished run that has all its answers stays finished, and keeps the time of its end.
        """
        with self._database.writing() as db:
            ours = _runs.id == run.id
            kept = db.execute(sa.select(_runs.state, _runs.manifest).where(ours)).first()
            state = kept and kept.state
            manifest = run.manifest
            if kept:
                manifest = manifest.after(decode_manifest(kept.manifest))
            _refuse_taken_name(db, run.id, manifest.name)
            values: dict[str, Any] = {
                "rows": run.rows,
                "bad_rows": run.bad_rows,
                "manifest": encode(asdict(manifest)),
                "sources": encode(run.sources),
            }
            if state == "finished" and not self._has_unanswered(run.id):
                values["asked_again"] = now()
            else:
                values |= {"state": "running", "ended": None}
                self._owner.work_on(db, run.id)
            if state is None:
                db.execute(sa.insert(tables.runs).values(id=run.id, started=now(), **values))
            else:
                db.execute(sa.update(tables.runs).where(ours).values(**values))
            db.execute(sa.delete(tables.deletions).where(_deletions.run == run.id))
        return state is not None

    def _has_unanswered(self, run_id: str) -> bool:
        outcomes = self.progress(run_id).outcomes
        return any(count for name, count in outcomes.items() if name in UNANSWERED)

    def end(self, run_id: str, state: State, whole: int | None = None) -> None:
        """Notes that we do not work on it any more, and how it ended. Where it has not got the
        `whole` number of its verdicts, others are to make the rest, and it is not finished."""
        with self._database.writing() as db:
            if state == "finished" and whole is not None:
                counted = sum(count for _, count in _PROGRESS.run(db, run_id=run_id))
                state = "finished" if counted >= whole else "interrupted"
            ended = sa.update(tables.runs).where(_runs.id == run_id)
            db.execute(ended.values(state=state, ended=now()))
            self._owner.leave(db, run_id)

    def spend(self, run_id: str, cost: Cost) -> None:
        """Adds to what the run has spent."""
        with self._database.writing() as db:
            refuse_deleted(db, run_id)
            _SPEND.run(db, run_id=run_id, more_tokens=cost.tokens, more_usd=cost.usd)

    def progress(self, run_id: str) -> RunProgress:
        """Quick enough to be asked every second."""
        with self._database.reading() as db:
            counts = _PROGRESS.run(db, run_id=run_id).fetchall()
        outcomes = dict(sorted(counts, key=lambda row: (-row[1], row[0])))
        return RunProgress(sum(outcomes.values()), outcomes)

    def count_answered(self, run_id: str) -> int:
        """How many verdicts of the run need not be asked for again."""
        outcomes = self.progress(run_id).outcomes
        return sum(count for name, count in outcomes.items() if name not in UNANSWERED)

    def all(self) -> list[RunRecord]:
        """All runs, the latest first."""
        return self._records()

    def find(self, run: str) -> RunRecord:
        """By what people call it: see `run_names.resolve`."""
        # Pages ask for one of them all the time: all others, with their judges, need not be read.
        for record in self._records(_runs.id == run):
            return record
        return resolve(run, self.all(), self._database.where)

    def _records(self, *which: sa.ColumnElement[bool]) -> list[RunRecord]:
        """The latest first. A run that was continued later than another one started is the later
        one."""
        lately = sa.func.coalesce(_runs.ended, _runs.started)
        used = sa.case((_runs.asked_again > lately, _runs.asked_again), else_=lately)
        with self._database.reading() as db:
            begun = worked_on(db, self._database.moment(db))
            query = sa.select(tables.runs).where(*which).order_by(used.desc())
            return [_record(row, begun) for row in db.execute(query)]

    def delete(self, run_id: str) -> DeletedRun:
        """Deletes the run, its texts and the replies that it paid for; Conflict while it is under
        way. Labels stay: they belong to the data. What is deleted is overwritten on the disk."""
        with self._database.writing() as db:
            self._owner.clear_dead(db)
            deleted = _delete(db, run_id)
        self._database.erase()
        return deleted


def _refuse_taken_name(db: sa.Connection, run: str, name: str) -> None:
    """Conflict where another run has the name."""
    if not name:
        return
    for other, kept in db.execute(sa.select(_runs.id, _runs.manifest).where(_runs.id != run)):
        manifest = decode_manifest(kept)
        if manifest.name == name:
            judge, data = " ".join(manifest.judges), manifest.data
            taken = Reason("run.name_taken", run=other, name=name, judge=judge, data=data)
            raise Conflict(taken)


def refuse_deleted(db: sa.Connection, run: str) -> None:
    """StoreError where the run was deleted while somebody was busy with it."""
    if _DELETED.run(db, run_id=run).fetchone():
        raise StoreError(Reason("run.deleted", run=run))


def _delete(db: sa.Connection, run: str) -> DeletedRun:
    """Those who live no more are cleared away already."""
    if not db.execute(sa.select(_runs.id).where(_runs.id == run)).first():
        raise UnknownName(Reason("run.unknown", run=run))
    if _in_hand(db, run):
        raise Conflict(Reason("run.under_way", run=run))
    version = db.execute(sa.select(sa.func.max(_facts.change)).where(_facts.run == run)).scalar()
    items, verdicts, replies = (
        db.execute(sa.delete(table).where(table.c.run == run)).rowcount for table in _TEXTS
    )
    for table in _REST:
        db.execute(sa.delete(table).where(table.c.run == run))
    db.execute(sa.delete(tables.runs).where(_runs.id == run))
    # The same command makes the same run again. Its changes are counted from here on, so that
    # nobody takes the figures that they remember for those of the new one.
    empty = {"run": run, "change": (version or 0) + 1, "verdicts": 0, "content": block({})}
    db.execute(sa.insert(tables.facts).values(**empty))
    db.execute(sa.insert(tables.deletions).values(run=run, deleted=now()))
    return DeletedRun(run, items, verdicts, replies)


def _in_hand(db: sa.Connection, run: str) -> bool:
    working = sa.select(tables.workers.c.owner).where(tables.workers.c.run == run)
    claiming = sa.select(tables.claims.c.owner).where(tables.claims.c.key == run_claim(run))
    holders = sa.select(tables.owners.c.id)
    held = tables.owners.c.id.in_(working) | tables.owners.c.id.in_(claiming)
    return db.execute(holders.where(held)).first() is not None


def _record(row: sa.Row[Any], begun: Mapping[str, str | None]) -> RunRecord:
    """With its state as it is: that of a process that was killed could not be noted by it."""
    values = row._asdict()
    del values["asked_again"]
    if values["state"] != "finished" and begun.get(row.id, "") is None:
        values |= {"state": "running", "ended": None}
    elif values["state"] == "running":
        heard = max(row.ended or "", begun.get(row.id) or "")
        values |= {"state": "interrupted", "ended": heard or None}
    values["manifest"] = decode_manifest(values["manifest"])
    values["sources"] = orjson.loads(values["sources"])
    return RunRecord(**values)
