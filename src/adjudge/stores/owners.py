"""Who has the store open: what they claim and the runs they work on are theirs while they live.

An owner gives a heartbeat every few seconds, with the time of day and with the ticks of a clock
that nobody sets and that stands still while the machine sleeps; a server has one clock for all. On
the same machine the ticks count, and whether the process is there at all; elsewhere the time of
day.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Set
from contextlib import suppress
from functools import cache
from pathlib import Path

import sqlalchemy as sa

from . import tables
from .codec import at
from .database import Database, Moment, Statement, Upsert, parameter

_LEASE = 30.0  # seconds after which an owner that was not heard of is dead

_owners, _workers, _claims, _runs = (
    table.c for table in (tables.owners, tables.workers, tables.claims, tables.runs)
)
_SIGN = Upsert(tables.owners, ["id"], update=["host", "pid", "seen", "ticks"])
_WORK = Upsert(tables.workers, ["run", "owner"])
_OWNER = parameter("owner_id")
_ALL = Statement(sa.select(_owners.id, _owners.seen, _owners.host, _owners.pid, _owners.ticks))
_SIGN_OFF = Statement(
    sa.delete(tables.owners).where(
        _owners.id == _OWNER,
        ~sa.select(_claims.key).where(_claims.owner == _OWNER).exists(),
        ~sa.select(_workers.run).where(_workers.owner == _OWNER).exists(),
    )
)


class Owner:
    """We, as one that has the store open. One process may be several, if it runs twice at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.id = secrets.token_hex(8)
        self.signed = False
        self._runs: set[str] = set()

    def sign_on(self, db: sa.Connection) -> None:
        """Before the first claim or run; also clears away what the dead have left."""
        if not self.signed:
            self.clear_dead(db)
            self._sign(db)
            self.signed = True

    def heartbeat(self) -> None:
        """Tells others that our claims hold and our runs continue; to be called every few
        seconds."""
        if self.signed:
            with self._database.writing() as db:
                self._sign(db)

    def work_on(self, db: sa.Connection, run: str) -> None:
        self._runs.add(run)
        self.sign_on(db)
        self._database.put(db, _WORK, [(run, self.id)])

    def leave(self, db: sa.Connection, run: str) -> None:
        self._runs.discard(run)
        ours = (_workers.run == run) & (_workers.owner == self.id)
        db.execute(sa.delete(tables.workers).where(ours))
        self.sign_off(db)

    def sign_off(self, db: sa.Connection) -> None:
        """Unless something is still ours."""
        if self.signed and _SIGN_OFF.run(db, owner_id=self.id).rowcount:
            self.signed = False

    def clear_dead(self, db: sa.Connection, suspected: Set[str] = frozenset()) -> bool:
        """Forgets the dead and what was theirs; whether one of the suspected was among them.

        Their runs keep the time when they were last heard of.
        """
        heard = {owner: seen for owner, seen, *_ in _ALL.run(db).fetchall()}
        dead = (heard.keys() | suspected) - living(db, self._database.moment(db)) - {self.id}
        for owner in dead:
            if owner in heard:
                _note_last_heard(db, owner, at(heard[owner]))
            for column in (_claims.owner, _workers.owner, _owners.id):
                db.execute(sa.delete(column.table).where(column == owner))
        return bool(dead & suspected)

    def close(self) -> None:
        if self._runs:
            with self._database.writing() as db:
                for run in tuple(self._runs):
                    self.leave(db, run)

    def _sign(self, db: sa.Connection) -> None:
        moment = self._database.moment(db)
        ours = (self.id, here(), os.getpid(), moment.time, moment.ticks)
        self._database.put(db, _SIGN, [ours])
        # Where we were late, others have taken us for dead and cleared us away.
        self._database.put(db, _WORK, [(run, self.id) for run in self._runs])


def run_claim(run: str) -> str:
    """The key by which a process claims a run, as it does requests; no request has one like it."""
    return f"run {run}"


def worked_on(db: sa.Connection, moment: Moment) -> dict[str, str | None]:
    """Runs that were begun and not ended: None where somebody who lives works on it, otherwise the
    time when the last one was heard of."""
    query = sa.select(
        _workers.run, _owners.seen, _owners.host, _owners.pid, _owners.ticks
    ).join_from(tables.workers, tables.owners, _workers.owner == _owners.id)
    heard: dict[str, str | None] = {}
    for run, seen, *where in db.execute(query.order_by(_owners.seen)):
        lives = _lives(moment, seen, *where)
        heard[run] = None if lives or heard.get(run, "") is None else at(seen)
    return heard


def living(db: sa.Connection, moment: Moment) -> set[str]:
    """The ids of all owners that live."""
    return {owner for owner, *heard in _ALL.run(db).fetchall() if _lives(moment, *heard)}


def _note_last_heard(db: sa.Connection, owner: str, heard: str) -> None:
    theirs = sa.select(_workers.run).where(_workers.owner == owner)
    later = sa.case((_runs.ended > heard, _runs.ended), else_=heard)
    query = sa.update(tables.runs).where(_runs.state == "running", _runs.id.in_(theirs))
    db.execute(query.values(ended=later))


@cache
def here() -> str:
    """Where a process number means the same: each container may count its own, on one host name,
    and two machines may have the same one."""
    host = socket.gethostname()
    with suppress(OSError):  # only Linux has it
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{host} {boot} {Path('/proc/self/ns/pid').readlink()}"
    return host


def _lives(moment: Moment, seen: float, host: str, pid: int, ticks: float) -> bool:
    # A clock that was set back, or a machine that has started again, must not hold us up.
    if host != here():
        return abs(moment.time - max(seen, moment.since)) <= _LEASE
    if abs(moment.ticks - max(ticks, moment.since)) > _LEASE:
        return False
    try:
        os.kill(pid, 0)  # only asks; on this machine nobody has to wait for the lease to end
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it is there, and not ours
    return True
