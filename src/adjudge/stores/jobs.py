"""What the service was asked to run, and who may ask it: jobs and tokens."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import orjson
import sqlalchemy as sa

from adjudge.core.reason import Reason
from adjudge.core.score import UNANSWERED
from adjudge.errors import Conflict

from . import tables
from .codec import now
from .database import Database
from .owners import Owner, run_claim
from .records import JobState, KeptJob, KeptToken
from .replies import Replies

_jobs, _tokens = tables.jobs.c, tables.tokens.c
_runs, _tallies = tables.runs.c, tables.tallies.c
_OPEN: tuple[JobState, ...] = ("waiting", "running")
_VALID = _tokens.revoked.is_(None)
_TO_GO_ON = sa.and_(
    _jobs.state.not_in(_OPEN),
    sa.or_(
        sa.exists().where(_runs.id == _jobs.run, _runs.state != "finished"),
        sa.exists().where(
            _tallies.run == _jobs.run, _tallies.outcome.in_(UNANSWERED), _tallies.verdicts > 0
        ),
    ),
)


class Jobs:
    """Runs are claimed as requests to models are: by who has the store open, until it is gone."""

    def __init__(self, database: Database, owner: Owner, claims: Replies) -> None:
        self._database, self._owner, self._claims = database, owner, claims

    def add(self, job: KeptJob) -> None:
        values = asdict(job) | {"created": job.created or now(), "spec": _spec(job)}
        with self._database.writing() as db:
            db.execute(sa.insert(tables.jobs).values(**values))

    def update(
        self,
        job_id: str,
        state: JobState,
        *,
        run: str | None = None,
        problem: str | None = None,
    ) -> None:
        """`run` and `problem` stay as they were where None is given."""
        changes = {"run": run, "problem": problem}
        values = {name: value for name, value in changes.items() if value is not None}
        query = sa.update(tables.jobs).where(_jobs.id == job_id)
        with self._database.writing() as db:
            db.execute(query.values(state=state, **values))

    def find(self, job_id: str) -> KeptJob | None:
        return next(iter(self._where(_jobs.id == job_id)), None)

    def of_run(self, run_id: str) -> list[KeptJob]:
        """The latest first."""
        return self._where(_jobs.run == run_id)[::-1]

    def open(self) -> list[KeptJob]:
        """Those that wait or run, the oldest first."""
        return self._where(_jobs.state.in_(_OPEN))

    def resumable(self) -> list[KeptJob]:
        """Those that have ended, and whose run has answers to get yet, the oldest first."""
        return self._where(_TO_GO_ON)

    def begin_again(self, job: KeptJob) -> None:
        """The job waits once more, with the spec that it has now."""
        query = sa.update(tables.jobs).where(_jobs.id == job.id)
        with self._database.writing() as db:
            db.execute(query.values(state="waiting", spec=_spec(job)))

    def claim(self, run: str) -> bool:
        """Makes the run ours to carry out; False while another process has it, and lives."""
        self._owner.heartbeat()  # we may have had nothing to do for longer than a lease lasts
        with self._database.writing() as db:
            ours = bool(self._claims.claim([run_claim(run)]).ours)
            if ours:  # also while it waits for its turn: nobody else need look after it
                self._owner.work_on(db, run)
        return ours

    def release(self, run: str) -> None:
        """From here on others may have the run."""
        with self._database.writing() as db:
            self._claims.release([run_claim(run)])
            self._owner.leave(db, run)

    def _where(self, condition: sa.ColumnElement[bool]) -> list[KeptJob]:
        query = sa.select(tables.jobs).where(condition).order_by(_jobs.created, _jobs.id)
        with self._database.reading() as db:
            return [_job(row) for row in db.execute(query)]


def _spec(job: KeptJob) -> bytes:
    return orjson.dumps(dict(job.spec))


def _job(row: sa.Row[Any]) -> KeptJob:
    values = row._asdict()
    return KeptJob(**values | {"spec": orjson.loads(values["spec"])})


class Tokens:
    """Who may use the service."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, token: KeptToken) -> None:
        """Conflict where a valid one has its name already."""
        values = asdict(token) | {"created": token.created or now()}
        of_its_name = sa.select(_tokens.id).where(_tokens.name == token.name, _VALID)
        with self._database.writing() as db:
            taken = db.execute(of_its_name).scalars().first()
            if taken is not None:
                raise Conflict(Reason("token.taken", name=token.name, taken=taken))
            db.execute(sa.insert(tables.tokens).values(**values))

    def all(self) -> list[KeptToken]:
        """Revoked ones too, the oldest first."""
        query = sa.select(tables.tokens).order_by(_tokens.created, _tokens.id)
        with self._database.reading() as db:
            return [KeptToken(**row._asdict()) for row in db.execute(query)]

    def revoke(self, token_id: str, *, leave_an_admin: bool = False) -> None:
        """A token that was revoked before keeps its time. Conflict for the last valid one of scope
        admin, where that is to be left."""
        admins = sa.select(_tokens.id).where(_tokens.scope == "admin", _VALID)
        revoked = sa.update(tables.tokens).where(_tokens.id == token_id, _VALID)
        with self._database.writing() as db:
            if leave_an_admin and db.execute(admins).scalars().all() == [token_id]:
                raise Conflict(Reason("token.last_admin", id=token_id))
            db.execute(revoked.values(revoked=now()))
