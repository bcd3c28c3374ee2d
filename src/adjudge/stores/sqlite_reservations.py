"""What may yet be spent of the budgets of runs, in SQLite: reserved first, and then spent.

A row is what its holder may still spend beyond what is noted with the run. The holder is an owner
that has the store open, or a batch at a provider. An owner that dies leaves its row: nobody can
know what of it was sent and will be billed, so it counts for as long as the run is there.
"""

from __future__ import annotations

from .database import Database
from .records import Cost, Granted
from .sqlite_owner import Owner, living

_AHEAD = 16  # the part of what is left that is taken in advance, at most: a crash leaves it counted

_COUNTED = (
    "SELECT tokens + (SELECT coalesce(sum(tokens), 0) FROM reservations WHERE run = ?1),"
    " usd + (SELECT coalesce(sum(usd), 0.0) FROM reservations WHERE run = ?1)"
    " FROM runs WHERE id = ?1"
)
_ADD = (
    "INSERT INTO reservations (run, holder, tokens, usd) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (run, holder) DO UPDATE"
    " SET tokens = tokens + excluded.tokens, usd = usd + excluded.usd"
)
_LESSEN = (
    "UPDATE reservations SET tokens = max(0, tokens - ?), usd = max(0.0, usd - ?)"
    " WHERE run = ? AND holder = ?"
)
_DROP = "DELETE FROM reservations WHERE run = ? AND holder = ?"
_HELD = "SELECT tokens, usd FROM reservations WHERE run = ? AND holder = ?"
_BY_OWNERS = (
    "SELECT holder, tokens, usd FROM reservations WHERE run = ?1 AND (tokens > 0 OR usd > 0.0)"
    " AND holder NOT IN (SELECT label FROM batches WHERE run = ?1)"
)


class SqliteReservations:
    def __init__(self, database: Database, owner: Owner) -> None:
        self._database, self._owner = database, owner

    def take(
        self, run: str, need: Cost, ahead: Cost, *, tokens: int | None, usd: float | None
    ) -> Granted:
        with self._database.driver() as db:
            ((counted_tokens, counted_usd),) = db.execute(_COUNTED, (run,))
            if tokens is not None:
                left = float(tokens - counted_tokens)
                spare, more = left - need.tokens, float(ahead.tokens)
            else:
                left = (usd or 0.0) - counted_usd
                spare, more = left - need.usd, ahead.usd
            if spare < 0:
                others = {holder for holder, *_ in db.execute(_BY_OWNERS, (run,))}
                return Granted(None, left, bool((others - {self._owner.id}) & living(db)))
            part = min(1.0, spare / _AHEAD / more) if more > 0 else 0.0
            granted = Cost(need.tokens + int(part * ahead.tokens), need.usd + part * ahead.usd)
            db.execute(_ADD, (run, self._owner.id, *granted))
        return Granted(granted, left, False)

    def lessen(self, run: str, cost: Cost) -> None:
        with self._database.driver() as db:
            db.execute(_LESSEN, (*cost, run, self._owner.id))

    def hand_over(self, run: str, batch: str, cost: Cost) -> None:
        with self._database.driver() as db:
            db.execute(_LESSEN, (*cost, run, self._owner.id))
            db.execute(_ADD, (run, batch, *cost))

    def held_by(self, run: str, batch: str) -> Cost:
        with self._database.driver() as db:
            return Cost(*(db.execute(_HELD, (run, batch)).fetchone() or Cost()))

    def drop(self, run: str, batch: str | None = None) -> None:
        with self._database.driver() as db:
            db.execute(_DROP, (run, batch or self._owner.id))

    def left_behind(self, run: str) -> Cost:
        with self._database.driver() as db:
            lives = living(db)
            rows = [row for row in db.execute(_BY_OWNERS, (run,)) if row[0] not in lives]
        return Cost(sum(row[1] for row in rows), sum(row[2] for row in rows))
