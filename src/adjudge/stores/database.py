"""Connections, transactions and statements, the same for every database.

What really differs between databases is a subclass of `Database` in `dialects/`.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from adjudge.core.reason import Reason
from adjudge.errors import StoreError, StoreInterrupted

Values = tuple[object, ...]
_Key = TypeVar("_Key", str, bytes)
AT_ONCE = 32  # rows, or keys, in a statement; few different ones, so that each is prepared once
_KEYS = tuple(f"key_{n}" for n in range(AT_ONCE))


class _Compiled(NamedTuple):
    """`before` and `after` have the names of the values as the text wants them, on both sides of
    the keys, if it has any; `fixed` are the values that are known."""

    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    fixed: Mapping[str, object]


def parameter(name: str) -> sa.BindParameter[Any]:
    """A value that is given each time; its name must not be that of a column that is put."""
    return sa.bindparam(name)


class Statement:
    """A statement that runs thousands of times per second.

    It is compiled once per dialect and handed to the driver itself: SQLAlchemy takes longer to pass
    a statement on than SQLite to carry it out.
    """

    def __init__(self, clause: sa.Executable) -> None:
        self._clause: Any = clause
        self._compiled: dict[str, _Compiled] = {}

    def run(self, db: sa.Connection, keys: Sequence[object] = (), /, **values: object) -> Any:
        """The driver's cursor. In the transaction of `db`; for `key_in` with keys of `portions`."""
        return driver_of(db).execute(*self._with(db, keys, values))

    def stream(self, db: sa.Connection, /, **values: object) -> Any:
        """The same for more rows than memory should hold: they come as they are fetched."""
        driver = driver_of(db)
        return getattr(driver, "stream", driver.execute)(*self._with(db, (), values))

    def _with(
        self, db: sa.Connection, keys: Sequence[object], values: Mapping[str, object]
    ) -> tuple[str, list[object]]:
        name = db.dialect.name
        text, before, after, fixed = self._compiled.get(name) or self.compiled(db.dialect)
        known = {**fixed, **values} if fixed else values
        parameters = [known[name] for name in before]
        if keys:
            parameters += keys
            parameters += [known[name] for name in after]
        return text, parameters

    def compiled(self, dialect: sa.Dialect) -> _Compiled:
        made = self._clause.compile(dialect=dialect)
        order: tuple[str, ...] = tuple(made.positiontup)
        at = order.index(_KEYS[0]) if _KEYS[0] in order else len(order)
        fixed = {name: bind.value for name, bind in made.binds.items() if not bind.required}
        compiled = _Compiled(made.string, order[:at], order[at + AT_ONCE :], fixed)
        self._compiled[dialect.name] = compiled
        return compiled


class Upsert:
    """Rows to be put, many at once, as tuples in the order of `columns`.

    A row whose `key` is there already changes it: the columns `update` get the new values, those of
    `add` grow by them. Without either, the earlier row stays as it is.
    """

    def __init__(
        self,
        table: sa.Table,
        key: Sequence[str],
        *,
        update: Sequence[str] = (),
        add: Sequence[str] = (),
    ) -> None:
        self.table, self._key = table, key
        self._update, self._add = update, add
        self.columns = tuple(name for name in table.c.keys() if name != "number")  # noqa: SIM118
        # Where the key stands in a row, if one that is there already may be changed.
        self.changes = tuple(map(self.columns.index, key)) if update or add else ()
        self._texts: dict[str, str] = {}

    def text(self, dialect: sa.Dialect) -> str:
        """For one row."""
        if dialect.name not in self._texts:
            self._texts[dialect.name] = self._compiled(dialect)
        return self._texts[dialect.name]

    def _compiled(self, dialect: sa.Dialect) -> str:
        new = import_module(f"sqlalchemy.dialects.{dialect.name}").insert(self.table)
        changed = {name: new.excluded[name] for name in self._update}
        changed |= {name: self.table.c[name] + new.excluded[name] for name in self._add}
        new = (
            new.on_conflict_do_update(index_elements=self._key, set_=changed)
            if changed
            else new.on_conflict_do_nothing(index_elements=self._key)
        )
        return str(new.inline().compile(dialect=dialect, column_keys=self.columns))


def key_in(column: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """Whether the column has one of the values that `portions` gives."""
    return column.in_([parameter(name) for name in _KEYS])


def asked_keys(kind: type[sa.types.TypeEngine[Any]]) -> sa.Subquery:
    """The values that `portions` gives, as rows with a `key`."""
    rows = [sa.select(sa.cast(parameter(name), kind).label("key")) for name in _KEYS]
    return sa.union_all(*rows).subquery()


def portions(keys: Sequence[_Key]) -> Iterator[tuple[_Key, ...]]:
    """As many keys as one `key_in` has room for, the last one repeated where there are fewer."""
    for start in range(0, len(keys), AT_ONCE):
        some = tuple(keys[start : start + AT_ONCE])
        yield some + some[-1:] * (AT_ONCE - len(some))


def driver_of(db: sa.Connection) -> Any:
    """The driver's own connection, in the same transaction."""
    return db.connection.driver_connection


class Moment(NamedTuple):
    """By which signs of life are judged: the time of day and the ticks of a clock that nobody sets,
    both in seconds. Before `since` nobody could give one."""

    time: float
    ticks: float
    since: float = 0.0


class Database(ABC):
    """Readers, and writers that wait for each other.

    The share `lag` of a run's verdicts may wait for a commit, so that it does not hold up the
    asking; that many could be lost where a process is killed.
    """

    lag = 0.004

    def __init__(self, where: str, engine: sa.Engine, error: type[Exception]) -> None:
        """`where` is its address as it may be shown. A `Statement` may raise the driver's own
        `error`."""
        self.where, self._engine = where, engine
        self._errors = (DBAPIError, error)
        self._open = threading.local()

    # Transactions are the driver's own: those of SQLAlchemy, which `Statement` would pass by, take
    # as long as a small transaction itself. A connection that is given back is rolled back.

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        with self._named_errors(), self.begun(writing=False) as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One transaction. Inside another one of this thread it is a part of that."""
        outer: sa.Connection | None = getattr(self._open, "transaction", None)
        if outer is not None:
            yield outer
            return
        with self._named_errors(), self.begun(writing=True) as db:
            self._open.transaction = db
            try:
                yield db
                self.commit(db)
            finally:
                self._open.transaction = None

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            kind = StoreInterrupted if self.is_lost(error) else StoreError
            raise kind(self.reason(error).in_file(self.where)) from error

    def reason(self, error: BaseException) -> Reason:
        why = str(getattr(error, "orig", error))
        return Reason("store.failed", why=why, remedy=self.remedy(why))

    def is_lost(self, error: BaseException) -> bool:  # noqa: ARG002 - a file is not lost
        """Whether the connection was cut, so that the same may succeed on another one."""
        return False

    def begun(self, *, writing: bool) -> sa.Connection:
        """A connection in a new transaction."""
        db = self._engine.connect()
        try:
            self.begin(db, writing=writing)
        except BaseException:
            db.close()
            raise
        return db

    def commit(self, db: sa.Connection) -> None:
        """StoreError where what is committed would be lost."""
        driver_of(db).commit()

    def moment(self, db: sa.Connection) -> Moment:  # noqa: ARG002 - a server tells its own
        return Moment(time.time(), time.monotonic())

    def wait_for(  # noqa: B027 - as above
        self, say: Callable[[str], None], hurry: Callable[[], bool]
    ) -> None:
        """From here on, a server that cannot be reached is waited for, and `say` hears of it; not
        for long where there is reason to `hurry`."""
        # A file is always there.

    def close(self) -> None:
        self._engine.dispose()

    @abstractmethod
    def begin(self, db: sa.Connection, *, writing: bool) -> None:
        """Begins a transaction. One that writes waits for those of others, in this process and
        elsewhere."""

    @abstractmethod
    def put(self, db: sa.Connection, rows: Upsert, values: Sequence[Values]) -> None:
        """Puts thousands of rows per second."""

    @abstractmethod
    def sync(self) -> None:
        """Waits until all that was committed is on the disk: a power cut does not lose it then."""

    @abstractmethod
    def erase(self) -> None:
        """What was deleted before is not to be found in any file from here on."""

    @abstractmethod
    def vacuum(self) -> None:
        """Writes all tables again, without the room of what was deleted."""

    @abstractmethod
    def size(self) -> int:
        """How many bytes all of it takes on the disk."""

    @abstractmethod
    def create_counters(self, db: sa.Connection) -> None:
        """Makes what counts the verdicts of a run by outcome (`tables.tallies`)."""

    @abstractmethod
    def remedy(self, why: str) -> Reason:
        """What a user can do about an error, by what the database says."""
