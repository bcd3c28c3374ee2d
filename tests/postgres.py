"""A PostgreSQL server of our own, from Debian's package or from wherever `initdb` is found.

Each process that runs tests starts one when the first test wants it, which takes a second, and ends
it with the session. Tests get an empty schema each.
"""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from .commands import Command

_MUST = bool(os.environ.get("CI"))  # read before a test takes it away
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "80",
    "shared_buffers": "32MB",
    "listen_addresses": "127.0.0.1",
}


def binaries() -> Path | None:
    """The folder with `initdb` and `pg_ctl`."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).parent
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return packaged[-1].parent if packaged else None


class PostgresServer:
    """`url(name)` is the address of a database; `stop` and `start` are what a test does to it."""

    def __init__(self, programs: Path, **settings: str) -> None:
        self._programs, self._settings = programs, _SETTINGS | settings
        self._folder = Path(tempfile.mkdtemp(prefix="adjudge-pg-"))
        self._names = count()
        # The server refuses to run as root.
        self._as = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        if self._as:
            shutil.chown(self._folder, **self._as)
        self._run("initdb", "-D", "data", "-U", "adjudge", "-A", "trust", "-E", "UTF8", "--no-sync")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.start()

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        command = [str(self._programs / program), *arguments]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(command, cwd=self._folder, check=check, **quiet, **self._as)  # type: ignore[call-overload]

    def start(self) -> None:
        settings = self._settings | {
            "port": str(self.port),
            "unix_socket_directories": self._folder,
        }
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self._run("pg_ctl", "-D", "data", "-o", options, "-l", "log", "-w", "start")

    def stop(self, how: str = "fast") -> None:
        self._run("pg_ctl", "-D", "data", "-m", how, "-w", "stop", check=False)

    @property
    def pid(self) -> int:
        return int((self._folder / "data/postmaster.pid").read_text().split()[0])

    def url(self, database: str, user: str = "adjudge") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as db:
            cursor = db.execute(statement)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def new_store(self) -> str:
        """The address of an empty schema: making a database takes a hundred times as long."""
        name = f"store_{next(self._names)}"
        self.execute(f"CREATE SCHEMA {name}")
        return self.url("postgres") + f"?options=-csearch_path%3D{name}"

    def close(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self._folder, ignore_errors=True)


def ask(url: str, query: str) -> list[Any]:
    """The rows that a query gives on a store of either kind, past all our own code."""
    if "://" not in url:
        with closing(sqlite3.connect(f"file:{url}?mode=ro", uri=True, timeout=5)) as db:
            return db.execute(query).fetchall()
    import psycopg

    with psycopg.connect(url) as db:
        return db.execute(query).fetchall()  # type: ignore[call-overload,no-any-return]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    programs = binaries()
    if programs is None:
        if _MUST:
            pytest.fail("there is no initdb: apt-get install postgresql")
        pytest.skip("there is no PostgreSQL here: apt-get install postgresql")
    server = PostgresServer(programs)
    yield server
    server.close()


@pytest.fixture
def postgres(postgres_server: PostgresServer) -> str:
    """The address of a store to be made."""
    return postgres_server.new_store()


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def new_store_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], str]:
    """Makes a place for a new store, as often as a law wants one."""
    if request.param == "sqlite":
        return lambda: str(tmp_path_factory.mktemp("law") / "store.db")
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.new_store


@pytest.fixture
def usual_store(store_url: str, adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> str:
    """The store of commands that name none; on each kind of database."""
    monkeypatch.setenv("ADJUDGE_STORE", store_url)
    return store_url


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store may be made, on each kind of database."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    url: str = request.getfixturevalue("postgres")
    return url
