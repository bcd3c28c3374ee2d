"""A run whose process was killed is not said to be under way, and is while another goes on."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from aiohttp import web
from tests.commands import Command
from tests.servers import Body, ChatServer, says
from tests.service import Running, running_service

from adjudge.service.options import ServeOptions

ROWS = 12
ANSWERED = 5
NOWHERE = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
SOON = 5.0  # seconds
GOOD = json.dumps(
    {"evaluation": "The answer is right and says what the person wanted to know.", "rating": 3}
)
STORE = ".adjudge/adjudge.db"


def row_of(body: Body) -> int:
    found = re.search(r"answer number (\d+)\.", body["messages"][-1]["content"])
    assert found
    return int(found[1])


@pytest.fixture
def gate(server: ChatServer) -> Iterator[threading.Event]:
    """The last rows get no answer until it is set."""
    opened = threading.Event()

    async def later(request: web.Request) -> web.StreamResponse:
        await asyncio.to_thread(opened.wait, 60)
        return await says(GOOD)(request)

    server.answer = lambda body: says(GOOD) if row_of(body) < ANSWERED else later
    yield opened
    opened.set()


@pytest.fixture
def command(adjudge: Command, server: ChatServer, gate: threading.Event) -> list[str]:
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer number {n}."} for n in range(ROWS)]
    adjudge.write("data.jsonl", rows)
    return ["run", "data.jsonl", "--judge", "helpfulness", "-m", "openai/m",
            "--base-url", server.base_url, "-j", "2"]  # fmt: skip


@pytest.fixture
def service(adjudge: Command, server: ChatServer) -> Iterator[Running]:
    """The pages over the same store."""
    options = ServeOptions(store=STORE, models=("openai/m",), base_url=server.base_url)
    with running_service(options) as running:
        yield running


def soon(state: Callable[[], str], wanted: str) -> None:
    deadline = time.monotonic() + SOON
    while (found := state()) != wanted:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


def states(adjudge: Command, service: Running) -> list[Callable[[], str]]:
    """Everywhere that a run's state is shown."""
    return [
        lambda: str(adjudge("runs", "--json").json[0]["state"]),
        lambda: str(service.ask("/api/v1/runs/latest").json["state"]),
        lambda: pill(service.ask("/").body.decode()),
        lambda: pill(service.ask(f"/runs/{run_of(service)}").body.decode()),
    ]


def workers() -> int:
    with closing(sqlite3.connect(STORE)) as db:
        return int(db.execute("SELECT count(*) FROM workers").fetchone()[0])


def run_of(service: Running) -> str:
    return str(service.ask("/api/v1/runs").json["runs"][0]["run"])


def pill(page: str) -> str:
    found = re.search(r'<span class="pill[^"]*">(\w+)</span>', page)
    assert found
    return found[1]


def test_killed_and_gone_on_with(
    adjudge: Command,
    server: ChatServer,
    command: list[str],
    gate: threading.Event,
    service: Running,
) -> None:
    doomed = adjudge.process(*command, **NOWHERE)
    server.wait_for(ANSWERED + 2)
    everywhere = states(adjudge, service)
    for state in everywhere:
        assert state() == "running"
    doomed.kill()
    doomed.wait(20)
    for state in everywhere:
        soon(state, "interrupted")
    assert "continues" in adjudge("runs").err
    assert "continues" in service.ask(f"/runs/{run_of(service)}").body.decode()
    assert b"event: end" in service.ask(f"/api/v1/runs/{run_of(service)}/events").body

    server.asked.clear()
    other = adjudge.process(*command, **NOWHERE)
    server.wait_for(2)
    for state in everywhere:
        assert state() == "running"
    gate.set()
    assert other.wait(30) == 0
    for state in everywhere:
        assert state() == "finished"
    assert adjudge("runs").err == ""


def test_one_of_two_is_killed(
    adjudge: Command, server: ChatServer, command: list[str], service: Running
) -> None:
    """The run goes on, so it is said to."""
    doomed, other = (adjudge.process(*command, **NOWHERE) for _ in range(2))
    deadline = time.monotonic() + 20
    while workers() < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    doomed.kill()
    doomed.wait(20)
    everywhere = states(adjudge, service)
    for state in everywhere:
        assert state() == "running"
    other.kill()
    other.wait(20)
    for state in everywhere:
        soon(state, "interrupted")
