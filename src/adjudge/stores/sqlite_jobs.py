"""What the service was asked to run, in SQLite."""

from __future__ import annotations

from typing import Any

import orjson
import sqlalchemy as sa

from . import tables
from .database import Database
from .records import JobState, KeptJob
from .sqlite_replies import SqliteReplies
from .times import now

_columns = tables.jobs.c
_OPEN: tuple[JobState, ...] = ("waiting", "running")


class SqliteJobs:
    """Runs are claimed as requests to models are: by who has the store open, until it is gone."""

    def __init__(self, database: Database, claims: SqliteReplies) -> None:
        self._database, self._claims = database, claims

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
        self._claims.stay_alive()  # we may have had nothing to do for longer than a lease lasts
        return bool(self._claims.take([_key(run)]).ours)

    def give_up(self, run: str) -> None:
        self._claims.give_up([_key(run)])

    def stay_alive(self) -> None:
        self._claims.stay_alive()

    def _where(self, condition: sa.ColumnElement[bool]) -> list[KeptJob]:
        query = sa.select(tables.jobs).where(condition).order_by(_columns.created, _columns.id)
        with self._database.reading() as db:
            return [_job(row) for row in db.execute(query)]


def _key(run: str) -> str:
    return f"run {run}"  # no request has a key like that


def _job(row: sa.Row[Any]) -> KeptJob:
    values = row._asdict()
    return KeptJob(**values | {"spec": orjson.loads(values["spec"])})
