"""What may yet be spent of the budgets of runs: reserved first, and then spent.

A reservation is what its holder may still spend beyond what is noted with the run. The holder is an
owner that has the store open, or a batch at a provider. An owner that dies leaves it: nobody can
know what of it was sent and will be billed, so it counts for as long as the run is there.
"""

from __future__ import annotations

import sqlalchemy as sa

from . import tables
from .codec import now
from .database import Database, Statement, Upsert, parameter
from .owners import Owner, living
from .records import Cost, Granted, KeptBatch

_AHEAD = 16  # the part of what is left that is taken in advance, at most: a crash leaves it counted

_runs, _held, _batches = tables.runs.c, tables.reservations.c, tables.batches.c
_RUN, _HOLDER = parameter("run_id"), parameter("holder_id")
_TOKENS, _USD = parameter("less_tokens"), parameter("less_usd")


def _reserved(column: sa.ColumnElement[float]) -> sa.ColumnElement[float]:
    total = sa.func.coalesce(sa.func.sum(column), 0)
    return sa.select(total).where(_held.run == _RUN).scalar_subquery()


_COUNTED = Statement(
    sa.select(_runs.tokens + _reserved(_held.tokens), _runs.usd + _reserved(_held.usd)).where(
        _runs.id == _RUN
    )
)
_ADD = Upsert(tables.reservations, ["run", "holder"], add=["tokens", "usd"])
_REDUCE = Statement(
    sa.update(tables.reservations)
    .where(_held.run == _RUN, _held.holder == _HOLDER)
    .values(
        tokens=sa.case((_held.tokens > _TOKENS, _held.tokens - _TOKENS), else_=0),
        usd=sa.case((_held.usd > _USD, _held.usd - _USD), else_=0.0),
    )
)
_BY_OWNERS = Statement(
    sa.select(_held.holder, _held.tokens, _held.usd).where(
        _held.run == _RUN,
        (_held.tokens > 0) | (_held.usd > 0.0),
        _held.holder.not_in(sa.select(_batches.label).where(_batches.run == _RUN)),
    )
)


def grant(
    counted: Cost, need: Cost, ahead: Cost, *, tokens: int | None, usd: float | None
) -> Granted:
    """What may be reserved of a budget of which so much is spent or reserved."""
    if tokens is not None:
        left = float(tokens - counted.tokens)
        spare, more = left - need.tokens, float(ahead.tokens)
    else:
        left = (usd or 0.0) - counted.usd
        spare, more = left - need.usd, ahead.usd
    if spare < 0:
        return Granted(None, left, False)
    part = min(1.0, spare / _AHEAD / more) if more > 0 else 0.0
    granted = Cost(need.tokens + int(part * ahead.tokens), need.usd + part * ahead.usd)
    return Granted(granted, left, False)


class Reservations:
    """What processes and batches may yet spend of a run's budget, beyond what the run has spent.

    It is reserved before a request is sent: a process that is killed leaves it counted.
    """

    def __init__(self, database: Database, owner: Owner) -> None:
        self._database, self._owner = database, owner

    def reserve(
        self, run: str, need: Cost, ahead: Cost, *, tokens: int | None, usd: float | None
    ) -> Granted:
        """Reserves what is needed, or nothing where less is left of the budget; and something ahead
        where there is plenty. The budget is in `tokens` or in `usd`; the other one is None."""
        with self._database.writing() as db:
            ((counted_tokens, counted_usd),) = _COUNTED.run(db, run_id=run)
            counted = Cost(counted_tokens, counted_usd)
            granted = grant(counted, need, ahead, tokens=tokens, usd=usd)
            if granted.cost is None:
                others = {holder for holder, *_ in _BY_OWNERS.run(db, run_id=run)}
                shared = bool((others - {self._owner.id}) & self._living(db))
                return granted._replace(shared=shared)
            self._database.put(db, _ADD, [(run, self._owner.id, *granted.cost)])
        return granted

    def reduce(self, run: str, cost: Cost) -> None:
        """So much of ours was spent, or is not wanted any more."""
        with self._database.writing() as db:
            self._reduce(db, run, cost)

    def hand_over(self, run: str, batch: str, cost: Cost) -> None:
        """So much of ours is from here on that of a batch, which outlives us."""
        with self._database.writing() as db:
            self._reduce(db, run, cost)
            self._database.put(db, _ADD, [(run, batch, *cost)])

    def _reduce(self, db: sa.Connection, run: str, cost: Cost) -> None:
        less = {"less_tokens": cost.tokens, "less_usd": cost.usd}
        _REDUCE.run(db, run_id=run, holder_id=self._owner.id, **less)

    def held_by(self, run: str, batch: str) -> Cost:
        query = sa.select(_held.tokens, _held.usd).where(_held.run == run, _held.holder == batch)
        with self._database.writing() as db:
            return Cost(*(db.execute(query).first() or Cost()))

    def release(self, run: str, batch: str | None = None) -> None:
        """All that the batch holds, or that we hold, is free again."""
        holder = _held.holder == (batch or self._owner.id)
        with self._database.writing() as db:
            db.execute(sa.delete(tables.reservations).where(_held.run == run, holder))

    def orphaned(self, run: str) -> Cost:
        """What those held who do not live any more; it stays counted."""
        with self._database.writing() as db:
            lives = self._living(db)
            rows = [row for row in _BY_OWNERS.run(db, run_id=run) if row[0] not in lives]
        return Cost(sum(row[1] for row in rows), sum(row[2] for row in rows))

    def _living(self, db: sa.Connection) -> set[str]:
        return living(db, self._database.moment(db))


_PUT_BATCH = Upsert(tables.batches, ["label"], update=["batch", "state"])


class Batches:
    """What was handed to providers' batch endpoints and is not settled yet."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, batch: KeptBatch) -> None:
        where = (batch.label, batch.run, batch.model)
        row = (*where, batch.batch, batch.state, batch.requests, now())
        with self._database.writing() as db:
            self._database.put(db, _PUT_BATCH, [row])

    def open_of(self, run: str, model: str) -> list[KeptBatch]:
        query = sa.select(tables.batches).where(
            _batches.run == run, _batches.model == model, _batches.state == "open"
        )
        with self._database.reading() as db:
            return [
                KeptBatch(row.label, row.run, row.model, row.requests, row.batch, row.state)
                for row in db.execute(query.order_by(_batches.made))
            ]
