"""The way to a PostgreSQL server: its address, connections, and what to do when it is cut.

libpq reads the address itself, and with it `PGPASSWORD`, `~/.pgpass`, service files and `sslmode`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from time import monotonic, sleep
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from adjudge.core.reason import Reason
from adjudge.errors import StoreError, UsageError

_SHORT, _LONG, _HURRIED = 5.0, 600.0, 20.0  # seconds that a server is waited for
_SAID = 1.0  # seconds after which it is said
_MOST_PAUSE = 2.0  # seconds between two attempts
_FETCHED = 500  # rows that come at once where many are read

# A cut that nobody tells of is noticed after some 20 s. What the address says comes first.
_LIBPQ = {
    "application_name": "adjudge",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 20_000,
    "client_encoding": "utf8",
}
# By SQLSTATE: the connection, a shutdown, too many connections, a transaction that was idle for too
# long, and those that two transactions bring on each other.
_LOST = ("08", "57P01", "57P02", "57P03", "53300", "25P03", "40001", "40P01")
# An @ or a / that is meant as a part of the password; libpq takes what follows for the host.
_ASTRAY = re.compile(r"\w+://(?:[^@/]*@)?+[^?]*@")
# What a server says that will let us in before long.
_SOON = ("starting up", "shutting down", "recovery", "too many clients", "connection slots")
_REMEDIES = {
    "password": Reason("store.server_password"),
    "pg_hba.conf": Reason("store.server_password"),
    'role "': Reason("store.server_password"),
    'database "': Reason("store.server_database"),
    "no schema has been selected": Reason("store.server_schema"),
    "permission denied": Reason("store.server_rights"),
    "does not support SSL": Reason("store.server_tls"),
    "certificate": Reason("store.server_tls"),
    "definition of service": Reason("store.server_service"),
    "service file": Reason("store.server_service"),
    "resolve host": Reason("store.server_reached"),
    "No space left": Reason("store.full"),
    "connection": Reason("store.server_reached"),
}


class ServerConnection(psycopg.Connection[Any]):
    """Rows come as bytes and not as text, which has two letters per byte of a reply."""

    _names = count()
    only_reads = False  # in the transaction that is open

    def cursor(self, name: str = "", **more: Any) -> Any:
        return super().cursor(name, **{"binary": True} | more)

    def execute(self, query: Any, params: Any = None, **more: Any) -> Any:
        return super().execute(query, params, binary=True, **more)

    def stream(self, query: str, params: Sequence[object]) -> Iterator[Any]:
        """The server keeps the rows until they are fetched, or until the transaction ends."""
        name = f"rows_{next(self._names)}"
        self.execute(f"DECLARE {name} NO SCROLL CURSOR FOR {query}", params, prepare=False)
        while rows := self.execute(f"FETCH {_FETCHED} FROM {name}", prepare=False).fetchall():
            yield from rows

    def at_once(self, queries: str) -> Any:
        """Several statements in one message; the result is that of the last one."""
        cursor = super().cursor(binary=False).execute(queries)
        while cursor.nextset():
            pass
        return cursor


class ServerAddress:
    """How connections are made; the password is nowhere else."""

    def __init__(self, url: str, where: str) -> None:
        try:
            parts = conninfo_to_dict(url)
            ports = str(parts.get("port", "")).replace(",", "")
        except psycopg.Error:  # its words may hold a part of the password
            ports = "unknown"
        if _ASTRAY.match(url) or not (ports.isdecimal() or not ports):
            raise UsageError(Reason("store.server_address").at_option("store", where))
        self._password = str(parts.get("password") or "")
        self._more: dict[str, Any] = {
            name: value for name, value in _LIBPQ.items() if name not in parts
        }
        self._url = url

    def __repr__(self) -> str:
        return "ServerAddress(…)"

    def connect(self) -> ServerConnection:
        return ServerConnection.connect(self._url, autocommit=True, **self._more)

    def shown(self, text: str) -> str:
        """What libpq says, without its questions, what it says twice, and the password."""
        first = text.removeprefix("connection failed: ").partition("Multiple connection attempts")
        lines = first[0].splitlines()
        said = dict.fromkeys(line.rstrip(". ") for line in lines if not line.startswith("\t"))
        text = "; ".join(filter(None, said))
        return text.replace(self._password, "…") if self._password else text


def is_lost(error: BaseException) -> bool:
    """Whether the same may succeed on another connection, now or later."""
    if not isinstance(error, psycopg.OperationalError | psycopg.InternalError):
        return False
    if error.sqlstate is not None:
        return error.sqlstate.startswith(_LOST)
    text = str(error)
    return "FATAL" not in text or any(sign in text for sign in _SOON)


def remedy_for(why: str) -> Reason:
    known = (remedy for sign, remedy in _REMEDIES.items() if sign in why)
    return next(known, Reason("store.server_log"))


class Patience:
    """How long a server is waited for: not at all before it was reached once."""

    def __init__(self, where: str) -> None:
        self._where, self._seconds = where, 0.0
        self._say: Callable[[str], None] | None = None
        self._hurry: Callable[[], bool] = lambda: False
        self._lock = threading.Lock()
        self._waits_since: float | None = None
        self._said = False

    def for_long(self, say: Callable[[str], None], hurry: Callable[[], bool]) -> None:
        self._seconds, self._say, self._hurry = _LONG, say, hurry

    def wait(self, began: float, why: Reason) -> None:
        """Before another attempt; StoreError where there were enough."""
        waited = monotonic() - began
        most = min(self._seconds, _HURRIED) if self._hurry() else self._seconds
        if waited > most:
            reason = Reason("store.unreachable", why=why, seconds=round(most)) if most else why
            raise StoreError(reason.in_file(self._where))
        with self._lock:
            self._waits_since = self._waits_since or began
            is_news = waited > _SAID and not self._said
            self._said |= is_news
        if is_news and self._say:
            why_alone = why.fields["why"]
            self._say(str(Reason("store.waiting", why=why_alone, minutes=round(most / 60))))
        sleep(min(_MOST_PAUSE, 0.05 + waited / 4))

    def has_ended(self) -> None:
        """The server is there."""
        self._seconds = self._seconds or _SHORT
        if self._waits_since is None:
            return
        with self._lock:
            began, self._waits_since = self._waits_since, None
            was_said, self._said = self._said, False
        if was_said and began is not None and self._say:
            self._say(str(Reason("store.back", seconds=round(monotonic() - began))))
