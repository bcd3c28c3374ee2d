"""A store that cannot be written to: said in one line, and nothing that was there is lost.

Each fault ends a run with exit 1 in the middle of it; then it is mended, and the same command goes
on. What was answered before the fault is neither lost nor asked again.
"""

from __future__ import annotations

import json
import re
import resource
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.commands import ADJUDGE, Command, Ended
from tests.servers import Body, ChatServer, says

from adjudge.stores import owners
from adjudge.stores.dialects import sqlite

ROWS = 60
STORE = ".adjudge/adjudge.db"
LONG = "It names everything that was asked about, in the order that it was asked. " * 60


def row_of(body: Body) -> int:
    found = re.search(r"answer number (\d+)\.", body["messages"][-1]["content"])
    assert found
    return int(found[1])


def reply() -> str:
    """Some kilobytes, so that a store fills up soon."""
    return json.dumps({"evaluation": LONG, "rating": 3})


@pytest.fixture
def command(adjudge: Command, server: ChatServer) -> list[str]:
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer number {n}."} for n in range(ROWS)]
    adjudge.write("data.jsonl", rows)
    server.answer = lambda _: says(reply())
    return ["run", "data.jsonl", "--judge", "helpfulness", "-m", "openai/m", "-j", "2",
            "--base-url", server.base_url, "--explain-in", "any", "--no-progress"]  # fmt: skip


Kept = dict[tuple[str, str], bytes]


def kept(store: str = STORE) -> Kept:
    """The verdicts by their run and row; the store is sound."""
    with closing(sqlite3.connect(store)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = db.execute("SELECT run, item, content FROM verdicts")
        return {(run, item): content for run, item, content in rows}


@pytest.fixture(autouse=True)
def no_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that failed could not give its claims back; its process, this one, still lives."""
    monkeypatch.setattr(owners, "_LEASE", 0.0)


def goes_on(adjudge: Command, server: ChatServer, command: list[str], before: Kept,
            store: str = STORE) -> None:  # fmt: skip
    """The same command asks for no row that has a verdict, and finishes."""
    server.asked.clear()
    ended = adjudge(*command, "--json")
    assert ended.code == 0, ended.err
    assert ended.json["outcomes"] == {"scored": ROWS}
    again = {f"r{row_of(body)}" for body in server.asked}
    assert not again & {item for _, item in before}
    assert len(server.asked) == len(again)
    after = kept(store)
    assert {key: after[key] for key in before} == before


def is_clear(ended: Ended, *words: str) -> None:
    assert ended.code == 1
    assert "Traceback" not in ended.err
    *_, last = ended.err.strip().splitlines()
    assert last.startswith("adjudge: ")
    for word in words:
        assert word in last


class TestFull:
    def test_no_more_pages(
        self,
        adjudge: Command,
        server: ChatServer,
        command: list[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """As on a full disk: SQLite says the same."""
        assert adjudge(*command, "-n", "5", "--quiet").code == 0
        prepare = sqlite._prepare

        def small(connection: Any, record: object) -> None:
            prepare(connection, record)
            connection.execute("PRAGMA max_page_count=48").fetchall()

        with monkeypatch.context() as patch:
            patch.setattr(sqlite, "_prepare", small)
            ended = adjudge(*command)
        is_clear(ended, "is full", "Make room and run the same command again")
        before = kept()
        assert len(before) >= 5
        assert len(server.asked) < ROWS  # it stopped when it was full
        goes_on(adjudge, server, command, before)

    def test_a_full_disk(
        self, adjudge: Command, server: ChatServer, command: list[str], tmp_path: Path
    ) -> None:
        with small_disk(tmp_path / "disk", 600) as disk:
            there = [*command, "--store", f"{disk}/x.db"]
            ended = adjudge(*there)
            is_clear(ended, "Make room and run the same command again")
            before = kept(f"{disk}/x.db")
            assert 0 < len(before) < ROWS
            resized = subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=False)
            assert resized.returncode == 0
            goes_on(adjudge, server, there, before, f"{disk}/x.db")

    def test_a_file_that_may_not_grow(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """A quota: the system refuses to write, with another error than on a full disk."""

        def limited() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

        with adjudge.process(*command, preexec_fn=limited) as process:
            out, err = process.communicate(timeout=60)
        is_clear(Ended(process.returncode, out, err), "disk", "--store")
        before = kept()
        assert 0 < len(before) < ROWS
        goes_on(adjudge, server, command, before)


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    folder.mkdir()
    size = f"size={kilobytes}k"
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("a disk cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


class TestLocked:
    def test_for_longer_than_is_waited(
        self,
        adjudge: Command,
        server: ChatServer,
        command: list[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """In the middle of a run, by a process that writes and does not end."""
        monkeypatch.setattr(sqlite, "PATIENCE", 0.2)
        with locking(server, after=20) as locked:
            ended = adjudge(*command)
        assert locked.is_set()
        is_clear(ended, "Another process is writing to it")
        assert len(server.asked) < ROWS
        goes_on(adjudge, server, command, kept())

    def test_for_a_moment(self, adjudge: Command, server: ChatServer, command: list[str]) -> None:
        """Waited for, and not even said."""
        with locking(server, after=20, seconds=0.5) as locked:
            ended = adjudge(*command, "--json")
        assert locked.is_set()
        assert (ended.code, ended.err) == (0, "")
        assert ended.json["outcomes"] == {"scored": ROWS}
        assert len(server.asked) == ROWS


@contextmanager
def locking(
    server: ChatServer, after: int, seconds: float | None = None
) -> Iterator[threading.Event]:
    """Another writer, which takes the store once so many requests have come."""
    locked, over = threading.Event(), threading.Event()

    def hold() -> None:
        server.wait_for(after)
        with closing(sqlite3.connect(STORE, isolation_level=None, timeout=20)) as other:
            other.execute("BEGIN IMMEDIATE")
            locked.set()
            over.wait(seconds or 30)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        yield locked
    finally:
        over.set()
        thread.join()


# Root may write everywhere, unless it gives up that very capability (CAP_DAC_OVERRIDE) first.
AS_ANYONE = """
import ctypes, os, sys
if os.geteuid() == 0 and ctypes.CDLL(None).prctl(24, 1, 0, 0, 0):
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"""


@contextmanager
def sealed(*paths: Path) -> Iterator[None]:
    """Nobody may write there meanwhile."""
    before = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path, mode in zip(paths, before, strict=True):
            path.chmod(mode)


class TestReadOnly:
    def run_as_anyone(self, folder: Path, command: list[str]) -> Ended:
        whole = [sys.executable, "-c", AS_ANYONE, ADJUDGE, *command]
        ended = subprocess.run(
            whole, cwd=folder, capture_output=True, text=True, check=False, timeout=60
        )
        if ended.returncode == 77:
            pytest.skip("root cannot be kept from writing here")
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    @pytest.mark.parametrize("what", ["the folder", "the file", "both"])
    def test_a_store_that_was_sealed(
        self, adjudge: Command, server: ChatServer, command: list[str], what: str
    ) -> None:
        """Nothing is asked for that could not be kept."""
        assert adjudge(*command, "-n", "5", "--quiet").code == 0
        before, asked = kept(), len(server.asked)
        folder, file = Path(STORE).parent, Path(STORE)
        paths = {"the folder": [folder], "the file": [file], "both": [file, folder]}[what]
        with sealed(*paths):
            ended = self.run_as_anyone(adjudge.folder, command)
        is_clear(ended, STORE, "--store")
        assert len(server.asked) == asked
        assert kept() == before
        server.asked.clear()
        assert adjudge(*command, "--json").json["outcomes"] == {"scored": ROWS}
        assert len(server.asked) == ROWS - 5  # the five replies serve the longer run


def test_a_file_that_is_no_store(adjudge: Command, server: ChatServer, command: list[str]) -> None:
    """It is left as it was."""
    Path("notes.db").write_text("These are my notes. " * 100)
    ended = adjudge(*command, "--store", "notes.db")
    is_clear(ended, "not an adjudge store", "--store")
    assert server.asked == []
    assert Path("notes.db").read_text().startswith("These are my notes.")
