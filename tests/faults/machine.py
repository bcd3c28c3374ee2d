"""A run that meets a fault in a process of its own, is mended, and goes on: what both have left."""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from tests.commands import Ended
from tests.forked import Forked
from tests.servers import Answer, Body, ChatServer, says

ROWS = 12
STORE = ".adjudge/adjudge.db"
OUT = "out.jsonl"
TOKENS = 110  # of every reply, as servers.py has it
# Some kilobytes even when packed, so that a small store is soon full.
_WORDS = ("it", "names", "everything", "that", "was", "asked", "about", "in", "order", "and", "why")
LONG = " ".join(Random(1).choices(_WORDS, k=6000))  # noqa: S311 - the same each time
Kept = dict[str, bytes]


def row_of(body: Body) -> int:
    found = re.search(r"answer number (\d+)\.", body["messages"][-1]["content"])
    assert found
    return int(found[1])


def rating_of(row: int) -> int:
    return 1 + row % 4


def good(row: int) -> Answer:
    return says(json.dumps({"evaluation": LONG, "rating": rating_of(row)}))


class Machine:
    """A folder with data and a server that answers well until it is told otherwise."""

    def __init__(self, folder: Path, server: ChatServer) -> None:
        self.folder, self.server = folder, server
        self.mend()
        rows = (
            {"id": f"r{n}", "question": "?", "answer": f"answer number {n}."} for n in range(ROWS)
        )
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "data.jsonl").write_text(text, "utf-8")

    def mend(self) -> None:
        self.server.answer = lambda body: good(row_of(body))

    def breaks(self, rows: range, how: Callable[[int], Answer]) -> None:
        """These rows get no good answer, however often they are asked for."""
        self.server.answer = lambda body: (how if row_of(body) in rows else good)(row_of(body))

    @property
    def command(self) -> list[str]:
        return [
            *("run", "data.jsonl", "--judge", "helpfulness", "--explain-in", "any", "-o", OUT),
            *("-m", "openai/m", "--base-url", self.server.base_url, "--no-progress"),
        ]

    def start(self, stages: str, *arguments: str) -> subprocess.Popen[str]:
        """The command as a process, with the faults of staged.py."""
        staged = Path(__file__).with_name("staged.py")
        return Forked(
            [staged, stages, *arguments],
            cwd=self.folder,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, stages: str, *more: str) -> Ended:
        return ended(self.start(stages, *self.command, *more))

    def ask(self, *arguments: str) -> Ended:
        """`adjudge ARGUMENTS` in this process, which saves its start."""
        from adjudge.cli.main import main

        out, err, code = io.StringIO(), io.StringIO(), 0
        with (
            chdir(self.folder),
            patch.dict(os.environ, _environment(), clear=True),
            patch.object(sys, "argv", ["adjudge", *arguments]),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                main()
            except SystemExit as exits:
                code = int(exits.code or 0)
        return Ended(code, out.getvalue(), err.getvalue())

    @property
    def store(self) -> Path:
        return self.folder / STORE

    def query(self, query: str, *values: str) -> list[Any]:
        with closing(sqlite3.connect(self.store)) as db:
            return list(db.execute(query, values))

    def verdicts(self) -> Kept:
        """What stands in the store for every row that has a usable answer."""
        if not self.store.exists():
            return {}
        query = "SELECT item, content FROM verdicts WHERE outcome != 'provider_error'"
        return dict(self.query(query))

    def replies(self) -> set[str]:
        if not self.store.exists():
            return set()
        return {key for (key,) in self.query("SELECT key FROM replies")}

    def exported(self) -> list[Any]:
        lines = (self.folder / OUT).read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]


@dataclass
class Aftermath:
    """`told` is what the user is shown of the fault, `code` the exit code that came with it.

    `before` and `replies` are what the store held right after the fault, `asked` how often each row
    was asked for until then and `again` afterwards, `resumed` how the same command ended when the
    fault was over.
    """

    machine: Machine
    code: int
    told: str
    before: Kept = field(default_factory=dict)
    replies: set[str] = field(default_factory=set)
    asked: Counter[int] = field(default_factory=Counter)
    again: Counter[int] = field(default_factory=Counter)
    resumed: Ended = field(default_factory=lambda: Ended(0, "", ""))


def look_around(machine: Machine, code: int, told: str) -> Aftermath:
    """What there is after the fault."""
    asked = Counter(map(row_of, machine.server.asked))
    machine.server.asked.clear()
    return Aftermath(machine, code, told, machine.verdicts(), machine.replies(), asked)


def go_on(after: Aftermath) -> Aftermath:
    """The same command, on a machine that is whole again."""
    after.machine.mend()
    after.resumed = after.machine.ask(*after.machine.command, "--json")
    after.again = Counter(map(row_of, after.machine.server.asked))
    return after


def ended(process: subprocess.Popen[str], seconds: float = 60.0) -> Ended:
    out, err = process.communicate(timeout=seconds)
    return Ended(process.returncode, out, err)


def _environment() -> dict[str, str]:
    """Nothing of the user's own settings."""
    ours = ("ADJUDGE_", "OPENAI_", "CI")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


@contextmanager
def locked(machine: Machine, after: int) -> Iterator[None]:
    """Another process writes to the store, and does not end, once so many requests have come."""
    machine.server.wait_for(after)
    with closing(sqlite3.connect(machine.store, isolation_level=None, timeout=20)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
