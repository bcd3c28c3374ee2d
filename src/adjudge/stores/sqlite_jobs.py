"""What the service was asked to run, in SQLite."""

from __future__ import annotations

from typing import Any

import orjson
import sqlalchemy as sa

from . import tables
from .database import Database
from .records import JobState, KeptJob
from .sqlite_owner import Owner
from .sqlite_replies import SqliteReplies
from .times import now

_columns = tables.jobs.c
_OPEN: tuple[JobState, ...] = ("waiting", "running")


class SqliteJobs:
    """Runs are claimed as requests to models are: by who has the store open, until it is gone."""

    def __init__(self, database: Database, owner: Owner, claims: SqliteReplies) -> None:
        self._database, self._owner, self._claims = database, owner, claims

    def add(self, job: KeptJob) -> None:
        new = sa.insert(tables.jobs).values(
            id=job.id,
            created=job.created or now(),
            token=job.token,
            state=job.state,
            run=job.run,
            problem=job.problem,
            spec=orjson.dumps(dict(job.spec)),
        )
        with self._database.writing() as db:
            db.execute(new)

    def update(
        self,
        job_id: str,
        state: JobState,
        *,
        run: str | None = None,
        problem: str | None = None,
    ) -> None:
        given = {"run": run, "problem": problem}
        values = {name: value for name, value in given.items() if value is not None}
        query = sa.update(tables.jobs).where(_columns.id == job_id)
        with self._database.writing() as db:
            db.execute(query.values(state=state, **values))

    def find(self, job_id: str) -> KeptJob | None:
        return next(iter(self._where(_columns.id == job_id)), None)

    def of_run(self, run_id: str) -> list[KeptJob]:
        return self._where(_columns.run == run_id)[::-1]

    def open(self) -> list[KeptJob]:
        return self._where(_columns.state.in_(_OPEN))

    def begin_again(self, job: KeptJob) -> None:
        query = sa.update(tables.jobs).where(_columns.id == job.id)
        with self._database.writing() as db:
            db.execute(query.values(state="waiting", spec=orjson.dumps(dict(job.spec))))

    def claim(self, run: str) -> bool:
        self._owner.stay_alive()  # we may have had nothing to do for longer than a lease lasts
        with self._database.driver() as db:
            ours = bool(self._claims.take([claim_key(run)]).ours)
            if ours:  # also while it waits for its turn: nobody else need look after it
                self._owner.work_on(db, run)
        return ours

    def give_up(self, run: str) -> None:
        with self._database.driver() as db:
            self._claims.give_up([claim_key(run)])
            self._owner.leave(db, run)

    def _where(self, condition: sa.ColumnElement[bool]) -> list[KeptJob]:
        query = sa.select(tables.jobs).where(condition).order_by(_columns.created, _columns.id)
        with self._database.reading() as db:
            return [_job(row) for row in db.execute(query)]


def claim_key(run: str) -> str:
    return f"run {run}"  # no request has a key like that


def _job(row: sa.Row[Any]) -> KeptJob:
    values = row._asdict()
    return KeptJob(**values | {"spec": orjson.loads(values["spec"])})
