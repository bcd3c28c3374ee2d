"""`python staged.py STAGE[,STAGE…] ARGUMENTS`: the command `adjudge`, with a fault at one point.

The process does to itself, at a call that is named here, what a test from outside could only do at
about that time. Nothing of it is known to the program: the functions are wrapped from without.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

AT = 6  # the call at which it happens, 1 for the first
STAGES: dict[str, Callable[[], None]] = {}
YEARS = 10 * 365 * 86400.0


def stage(hook: Callable[[], None]) -> Callable[[], None]:
    STAGES[hook.__name__] = hook
    return hook


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def before(owner: Any, name: str, happens: Callable[[], object], at: int = AT) -> None:
    """`happens` comes before the `at`-th call of the function; one that is async stays so."""
    usual, calls = getattr(owner, name), 0

    def counted(*given: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == at:
            happens()
        return usual(*given, **named)

    setattr(owner, name, counted)


@stage
def quick() -> None:
    """A failed request is made again at once."""
    from adjudge.running.asking import retry

    retry._FIRST_WAIT = 0.01


@stage
def kill_before_request() -> None:
    from adjudge.models.http.connections import Connections

    before(Connections, "exchange", die)


@stage
def kill_before_reply_is_stored() -> None:
    from adjudge.running.recorder import Recorder

    before(Recorder, "keep", die)


@stage
def kill_before_verdict() -> None:
    """Its reply is in the store by then."""
    from adjudge.running.recorder import Recorder

    usual, calls = Recorder.add, 0

    async def add(self: Recorder, entry: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == AT:
            await self.flush()
            die()
        await usual(self, entry)

    Recorder.add = add  # type: ignore[method-assign]


@stage
def kill_in_commit() -> None:
    """Verdicts are written, in a transaction that is not committed."""
    from adjudge.stores import verdicts

    before(verdicts, "put_facts", die)


@stage
def kill_before_sync() -> None:
    """It is committed, and the disk has not been waited for."""
    from adjudge.stores.dialects.sqlite import SqliteDatabase

    before(SqliteDatabase, "sync", die)


@stage
def kill_in_export() -> None:
    """The file is written under its other name, and not moved to its place."""
    before(os, "fsync", die, at=1)


def _shift(seconds: float) -> None:
    """The time of day is another from the `AT`-th request on."""
    from adjudge.models.http.connections import Connections
    from adjudge.stores import codec

    def jump() -> None:
        usual = time.time
        time.time = lambda: usual() + seconds
        clock = codec.datetime

        class Shifted(clock):  # type: ignore[valid-type,misc]
            @classmethod
            def now(cls, tz: Any = None) -> Any:
                return clock.fromtimestamp(time.time(), tz)

        codec.datetime = Shifted  # type: ignore[misc]

    before(Connections, "exchange", jump)


@stage
def clock_forward() -> None:
    _shift(YEARS)


@stage
def clock_back() -> None:
    _shift(-YEARS)


@stage
def clock_of_the_machine() -> None:
    """The one that nobody sets, as on a machine that was moved while it slept: an hour on."""
    usual, ahead = time.monotonic, 0.0
    time.monotonic = lambda: usual() + ahead

    def jump() -> None:
        nonlocal ahead
        ahead = 3600.0

    from adjudge.models.http.connection import Connection

    async def exchange(self: Connection, *request: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == AT:  # the request is under way
            asyncio.get_running_loop().call_later(0.05, jump)
        await exchanged(self, *request)

    exchanged, calls = Connection.exchange, 0
    Connection.exchange = exchange  # type: ignore[method-assign]


@stage
def no_room() -> None:
    """The disk has room for a few rows, as SQLite counts it."""
    from adjudge.stores.dialects import sqlite

    prepare = sqlite._prepare

    def small(connection: Any, record: object) -> None:
        prepare(connection, record)
        ((pages,),) = connection.execute("PRAGMA page_count")
        connection.execute(f"PRAGMA max_page_count={max(pages + 12, 80)}").fetchall()

    sqlite._prepare = small


@stage
def impatient() -> None:
    """A store that somebody else writes to is waited for as long as a test can wait."""
    from adjudge.stores.dialects import sqlite

    sqlite.PATIENCE = 0.2


@stage
def no_descriptors() -> None:
    """No file or connection can be opened from the `AT`-th request on."""
    from adjudge.models.http.connections import Connections

    def none_left() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (1, 1))  # those that are open stay so

    before(Connections, "exchange", none_left)


@stage
def no_memory() -> None:
    """From the `AT`-th request on there are 16 MB more than what the process has."""
    from adjudge.models.http.connections import Connections

    def none_left() -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + 2**24
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    before(Connections, "exchange", none_left)


if __name__ == "__main__":
    from adjudge.cli.main import main

    for name in sys.argv.pop(1).split(","):
        STAGES[name]()
    main()
