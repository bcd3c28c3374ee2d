"""A PostgreSQL server: a store that many processes, on many machines, write to at once.

Writers wait for each other at one lock per store, as they do at a SQLite file: what a commit holds
was summed, claimed and counted by it alone. A commit holds all that came within some milliseconds,
so that the lock is free for most of the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from time import monotonic, sleep
from typing import Any

import psycopg
import sqlalchemy as sa

from adjudge.core.reason import Reason
from adjudge.settings.secrets import without_secrets

from .. import tables
from ..database import Database, Moment, Upsert, Values, driver_of
from .postgresql_server import Patience, ServerAddress, is_lost, remedy_for

_LOCK = 0x61646A  # the first of two numbers; the other one stands for the schema
_STUCK = 60_000  # milliseconds: a writer that was stopped in a transaction lets go of the lock then
_LATE = 5.0  # seconds: for as long as we waited, others may not have been heard either
_UNDECIDED = 0.1  # seconds between two looks at a commit that the server is still at

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# Rows are looked up by their keys, however few a server believes that there are: claims leave more
# room than rows, and a table that was small when it was counted may be large a minute later. Where
# all of a table must be read even so, nothing is compiled for that.
_WRITE = (
    "BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL jit = off;"
    f" SELECT pg_advisory_xact_lock({_LOCK}, hashtext(current_schema())),"
    f" set_config('idle_in_transaction_session_timeout', '{_STUCK}', true),"
    " pg_current_xact_id()::text"
)
_COUNTERS = (
    """
    CREATE FUNCTION tally_new() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO tallies (run, outcome, verdicts)
        SELECT run, outcome, count(*) FROM put GROUP BY run, outcome
        ON CONFLICT (run, outcome) DO UPDATE SET verdicts = tallies.verdicts + excluded.verdicts;
      RETURN NULL;
    END $$
    """,
    """
    CREATE FUNCTION tally_newer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO tallies (run, outcome, verdicts)
        SELECT run, outcome, sum(verdicts) FROM (
          SELECT run, outcome, 1 AS verdicts FROM put
          UNION ALL SELECT run, outcome, -1 FROM replaced
        ) AS changes GROUP BY run, outcome HAVING sum(verdicts) <> 0
        ON CONFLICT (run, outcome) DO UPDATE SET verdicts = tallies.verdicts + excluded.verdicts;
      RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER tally_new AFTER INSERT ON verdicts REFERENCING NEW TABLE AS put
      FOR EACH STATEMENT EXECUTE FUNCTION tally_new()
    """,
    """
    CREATE TRIGGER tally_newer AFTER UPDATE ON verdicts
      REFERENCING OLD TABLE AS replaced NEW TABLE AS put
      FOR EACH STATEMENT EXECUTE FUNCTION tally_newer()
    """,
    # A row comes and goes with every request: what is left of them is to be cleared away early.
    """
    ALTER TABLE claims
      SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)
    """,
)
_SIZE = sa.text(
    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 FROM pg_class c"
    " WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'"
    " AND c.relname = ANY(:names)"
)


class PostgresDatabase(Database):
    """The tables stand in the schema that the server looks at first (`search_path`)."""

    lag = 0.015  # a commit goes to and fro, and waits for those of other machines

    def __init__(self, url: str) -> None:
        where = without_secrets(url)
        self._server = ServerAddress(url, where)
        # Parameters by their places, as `Statement` hands them over.
        engine = sa.create_engine(
            "postgresql+psycopg://",
            creator=self._server.connect,
            paramstyle="format",
            use_native_hstore=False,
            pool_size=5,
            pool_use_lifo=True,  # the one that knows our statements already
            max_overflow=20,
            pool_reset_on_return=None,
        )
        sa.event.listen(engine, "reset", _reset)
        self._patience = Patience(where)
        self._regained: float | None = None
        super().__init__(where, engine, psycopg.Error)

    def begun(self, *, writing: bool) -> sa.Connection:
        """Waits for a server that cannot be reached."""
        began = monotonic()
        while True:
            try:
                db = super().begun(writing=writing)
            except self._errors as error:
                if not self.is_lost(error):
                    raise
                self._engine.dispose()  # what is open there is no better
                self._patience.wait(began, self.reason(error))
            else:
                self._patience.has_ended()
                if monotonic() - began > _LATE:
                    self._regained = monotonic()
                return db

    def begin(self, db: sa.Connection, *, writing: bool) -> None:
        driver = driver_of(db)
        driver.only_reads = not writing
        if not writing:
            driver.execute(_READ)
            return
        began = driver.at_once(_WRITE)
        self._open.number = began.fetchone()[-1]

    def commit(self, db: sa.Connection) -> None:
        number = self._open.number
        try:
            driver_of(db).commit()
        except psycopg.OperationalError as error:
            if not (self.is_lost(error) and self._is_committed(number)):
                raise

    def _is_committed(self, number: str) -> bool:
        """What became of a transaction that we were cut off from when it was to be committed."""
        query = sa.text("SELECT pg_xact_status(CAST(:number AS xid8))")
        while True:
            with self.begun(writing=False) as db:
                try:
                    state = db.execute(query, {"number": number}).scalar_one()
                except sa.exc.DBAPIError:  # a server that has never heard of it
                    return False
            if state != "in progress":
                return bool(state == "committed")
            sleep(_UNDECIDED)

    def moment(self, db: sa.Connection) -> Moment:
        """By the clock of the server: those of many machines differ."""
        query = "SELECT extract(epoch FROM clock_timestamp())::float8"
        ((now,),) = driver_of(db).execute(query).fetchall()
        since = self.server_start(db)
        if self._regained is not None:
            since = max(since, now - (monotonic() - self._regained))
        return Moment(now, now, since)

    def server_start(self, db: sa.Connection) -> float:
        query = "SELECT extract(epoch FROM pg_postmaster_start_time())::float8"
        return float(driver_of(db).execute(query).fetchone()[0])

    def is_lost(self, error: BaseException) -> bool:
        return is_lost(getattr(error, "orig", error))

    def reason(self, error: BaseException) -> Reason:
        of_driver: Any = getattr(error, "orig", error)
        first_line = of_driver.diag.message_primary if of_driver.sqlstate else None
        why = self._server.shown(first_line or str(of_driver))
        return Reason("store.failed", why=why, remedy=self.remedy(why))

    def wait_for(self, say: Callable[[str], None], hurry: Callable[[], bool]) -> None:
        self._patience.for_long(say, hurry)

    def put(self, db: sa.Connection, rows: Upsert, values: Sequence[Values]) -> None:
        """One statement for any number of rows: a column of them is an array."""
        if not values:
            return
        if rows.changes:  # a row cannot be changed twice by one statement
            by_key = {tuple(row[at] for at in rows.changes): row for row in values}
            values = [*by_key.values()]
        text = _for_arrays(rows, rows.text(db.dialect))
        driver_of(db).execute(text, [list(column) for column in zip(*values, strict=True)])

    def sync(self) -> None:
        """A commit has waited for the server's disk."""

    def erase(self) -> None:
        """Left to the server, which makes use of the room later on; `vacuum` does it at once."""

    def vacuum(self) -> None:
        with self._named_errors(), self._engine.connect() as db:
            for table in tables.metadata.sorted_tables:
                driver_of(db).execute(f"VACUUM (FULL, ANALYZE) {table.name}")

    def size(self) -> int:
        with self.reading() as db:
            return int(db.execute(_SIZE, {"names": list(tables.metadata.tables)}).scalar_one())

    def create_counters(self, db: sa.Connection) -> None:
        for made in _COUNTERS:
            db.exec_driver_sql(made)

    def remedy(self, why: str) -> Reason:
        return remedy_for(why)


def _reset(driver: Any, record: Any, _: object) -> None:
    """A connection that is given back is in no transaction, or is let go of. What was only read is
    committed: with a transaction that is rolled back, the server forgets all prepared statements.
    """
    try:
        if driver.only_reads:
            driver.commit()
        else:
            driver.rollback()
    except psycopg.Error:
        record.invalidate()


@cache
def _for_arrays(rows: Upsert, text: str) -> str:
    """A statement that puts one row, for arrays of them."""
    columns = [rows.table.c[name] for name in rows.columns]
    arrays = ", ".join(f"%b::{_array_type(column)}" for column in columns)
    unnested = f"SELECT * FROM unnest({arrays})"  # noqa: S608 - of our own columns
    return re.sub(r"VALUES \(.*?\)(?= ON CONFLICT)", unnested, text)


def _array_type(column: sa.Column[Any]) -> str:
    if isinstance(column.type, sa.LargeBinary):
        return "bytea[]"
    if isinstance(column.type, sa.Float):
        return "float8[]"
    return "int8[]" if isinstance(column.type, sa.Integer) else "text[]"
