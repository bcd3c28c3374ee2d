"""Two processes on one store: neither breaks it, and nothing is paid for twice.

The server holds its answers back until both processes are at work, which the store tells.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from aiohttp import web
from tests import postgres
from tests.commands import Command
from tests.servers import Body, ChatServer, says

pytestmark = pytest.mark.usefixtures("usual_store")


def row_of(body: Body) -> int:
    found = re.search(r"answer number (\d+)\.", body["messages"][-1]["content"])
    assert found
    return int(found[1])


def reply(row: int) -> str:
    text = "The answer is correct, and it names everything that the person asked about."
    return json.dumps({"evaluation": text, "rating": 1 + row % 4})


class Gate:
    """Answers wait here until it is opened; a few may go through before."""

    def __init__(self, server: ChatServer, free: int = 0) -> None:
        self._open, self._free, self.answered = threading.Event(), free, Counter[int]()
        server.answer = lambda body: self._answer(row_of(body))

    def open(self) -> None:
        self._open.set()

    def _answer(self, row: int) -> Any:
        free, self._free = self._free > 0, self._free - 1

        async def answer(request: web.Request) -> web.StreamResponse:
            if not free:
                await asyncio.to_thread(self._open.wait, 60)
            await asyncio.sleep(0.005)
            if request.transport is None or request.transport.is_closing():
                return web.Response()  # whoever asked is gone
            self.answered[row] += 1
            return await says(reply(row))(request)

        return answer


@pytest.fixture
def gate(server: ChatServer) -> Iterator[Gate]:
    gate = Gate(server)
    yield gate
    gate.open()


def write_rows(adjudge: Command, name: str, numbers: range) -> str:
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer number {n}."} for n in numbers]
    return adjudge.write(name, rows)


def start(
    adjudge: Command, server: ChatServer, data: str, *more: str, **pipes: int
) -> subprocess.Popen[str]:
    command = ["run", data, "--judge", "helpfulness", "-m", "openai/m", "--json", "-j", "4",
               "--base-url", server.base_url, "--explain-in", "any", "--no-progress"]  # fmt: skip
    return adjudge.process(*command, *more, **pipes)


def ask(query: str) -> Any:
    try:
        return postgres.ask(os.environ["ADJUDGE_STORE"], query)[0][0]
    except (sqlite3.OperationalError, psycopg.errors.UndefinedTable):  # not there yet
        return None


def wait_until(query: str, least: int) -> None:
    deadline = time.monotonic() + 30
    while (ask(query) or 0) < least:
        assert time.monotonic() < deadline
        time.sleep(0.02)


OWNERS = "SELECT count(*) FROM owners"


def ended(process: subprocess.Popen[str]) -> Any:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    return json.loads(out)


def is_whole(adjudge: Command, runs: int) -> None:
    """The store is sound, and no claim is left behind."""
    assert adjudge("store", "check", "--json").json["problems"] == []
    assert adjudge("doctor").code == 0
    assert ask("SELECT count(*) FROM runs") == runs
    assert ask("SELECT count(*) FROM claims") == 0
    assert ask(OWNERS) == 0


def test_the_same_command_twice(adjudge: Command, server: ChatServer, gate: Gate) -> None:
    """They share the rows, and both end with all of them."""
    data = write_rows(adjudge, "data.jsonl", range(200))
    both = [start(adjudge, server, data, "-o", f"{n}.jsonl") for n in range(2)]
    wait_until(OWNERS, 2)
    gate.open()
    shown = [ended(process) for process in both]
    assert gate.answered == Counter(range(200))  # each once
    assert len(server.asked) == 200
    assert shown[0]["run"] == shown[1]["run"]
    assert [each["outcomes"] for each in shown] == [{"scored": 200}] * 2
    assert Path("0.jsonl").read_text() == Path("1.jsonl").read_text()
    assert adjudge("show", "--json").json["usage"]["input_tokens"] == 100 * 200
    is_whole(adjudge, runs=1)


def test_two_runs_with_some_rows_in_common(
    adjudge: Command, server: ChatServer, gate: Gate
) -> None:
    """The reply to a row that both have is paid for by one of them."""
    first = write_rows(adjudge, "first.jsonl", range(120))
    second = write_rows(adjudge, "second.jsonl", range(200)[60:])
    both = [start(adjudge, server, data) for data in (first, second)]
    wait_until(OWNERS, 2)
    gate.open()
    shown = [ended(process) for process in both]
    assert gate.answered == Counter(range(200))
    assert [each["outcomes"] for each in shown] == [{"scored": 120}, {"scored": 140}]
    assert sum(each["usage"]["input_tokens"] for each in shown) == 100 * 200
    is_whole(adjudge, runs=2)


def test_one_is_killed(adjudge: Command, server: ChatServer, gate: Gate) -> None:
    """The other takes over what it had begun; only what was in flight is asked again."""
    data = write_rows(adjudge, "data.jsonl", range(60))
    gate._free = 10
    nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    doomed = start(adjudge, server, data, **nowhere)
    server.wait_for(14)  # ten are answered, four are stuck
    other = start(adjudge, server, data)
    wait_until("SELECT count(*) FROM replies", 10)
    doomed.kill()
    doomed.wait(20)
    gate.open()
    shown = ended(other)
    assert shown["outcomes"] == {"scored": 60}
    assert gate.answered == Counter(range(60))
    assert len(server.asked) <= 60 + 4
    is_whole(adjudge, runs=1)


def test_reading_goes_on_meanwhile(adjudge: Command, server: ChatServer, gate: Gate) -> None:
    """`show`, `export` and `cache info` do not wait for a run, nor disturb it."""
    data = write_rows(adjudge, "data.jsonl", range(40))
    gate._free = 8
    process = start(adjudge, server, data)
    wait_until("SELECT count(*) FROM verdicts", 8)
    assert adjudge("show", "--json").json["verdicts"] == 8
    assert adjudge("cache", "info", "--json").json["replies"] == 8
    assert adjudge("export", "-o", "part.jsonl").code == 0
    assert len(Path("part.jsonl").read_text().splitlines()) == 8
    gate.open()
    assert ended(process)["outcomes"] == {"scored": 40}
