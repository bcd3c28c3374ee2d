"""What the service was asked to run, in SQLite."""

from __future__ import annotations

from typing import Any

import orjson
import sqlalchemy as sa

from . import tables
from .base import JobState, KeptJob
from .database import Database
from .times import now

_columns = tables.jobs.c
_OPEN: tuple[JobState, ...] = ("waiting", "running")


class SqliteJobs:
    def __init__(self, database: Database) -> None:
        self._database = database

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

    def _where(self, condition: sa.ColumnElement[bool]) -> list[KeptJob]:
        query = sa.select(tables.jobs).where(condition).order_by(_columns.created, _columns.id)
        with self._database.reading() as db:
            return [_job(row) for row in db.execute(query)]


def _job(row: sa.Row[Any]) -> KeptJob:
    values = row._asdict()
    return KeptJob(**values | {"spec": orjson.loads(values["spec"])})
