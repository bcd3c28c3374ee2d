"""The service ends in the midst of runs: told to, or killed. The next one goes on with them."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.commands import Command
from tests.servers import Answer, Body, ChatServer, after, says
from tests.service import running_service

from adjudge.service.options import ServeOptions

pytestmark = pytest.mark.slow
ROWS = 30
ANSWERED = 12
GOOD = json.dumps(
    {"evaluation": "The answer is right and says what the person wanted to know.", "rating": 3}
)


def row_of(body: Body) -> int:
    prompt = body["messages"][-1]["content"]
    return next(n for n in range(ROWS) if f"answer number {n}." in prompt)


def hold_back(server: ChatServer, seconds: float) -> None:
    """From here on only the first rows get their answers at once."""

    def answer(body: Body) -> Answer:
        return says(GOOD) if row_of(body) < ANSWERED else after(seconds, says(GOOD))

    server.answer = answer


@contextmanager
def service(adjudge: Command, server: ChatServer) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The URL and the process, which is gone afterwards."""
    process = adjudge.process(
        *("serve", "--port", "0", "--store", "runs.db", "--log", "off"),
        *("-m", "openai/m", "--base-url", server.base_url, "-j", "4"),
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def next_service(server: ChatServer) -> Iterator[str]:
    """The one that comes after, in this process: it need not be told to end, and starts sooner."""
    options = ServeOptions(
        store="runs.db", models=("openai/m",), base_url=server.base_url, concurrency=4
    )
    with running_service(options) as running:
        yield running.url


def ask(url: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(  # noqa: S310 - our own address
        url, data, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        told = answer.read()
    return told if url.endswith("/events") else json.loads(told)


def start(url: str) -> str:
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer number {n}."} for n in range(ROWS)]
    run: str = ask(f"{url}/api/v1/runs", {"judges": ["helpfulness"], "rows": rows})["run"]
    return run


def wait_for_answers(url: str, run: str, server: ChatServer) -> None:
    """Until the first rows are judged and the next ones are being asked."""
    server.wait_for(ANSWERED + 4)
    for _ in range(400):
        if ask(f"{url}/api/v1/runs/{run}")["verdicts"] >= ANSWERED:
            return
    raise AssertionError("the first rows are not judged")


def test_runs_go_on_after_kill_9(adjudge: Command, server: ChatServer) -> None:
    hold_back(server, 60)
    with service(adjudge, server) as (url, process):
        run = start(url)
        wait_for_answers(url, run, server)
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    server.answer = lambda _: says(GOOD)
    with service(adjudge, server) as (url, _):
        ask(f"{url}/api/v1/runs/{run}/events")
        told = ask(f"{url}/api/v1/runs/{run}")
    assert (told["state"], told["verdicts"], told["outcomes"]) == (
        "finished",
        ROWS,
        {"scored": ROWS},
    )
    asked = Counter(map(row_of, server.asked))
    assert all(asked[n] == 1 for n in range(ANSWERED))  # answered before: not asked again
    assert sum(asked.values()) == ROWS + 4  # only what was under way when it died


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_told_to_end_it_drains_and_goes_on_later(
    adjudge: Command, server: ChatServer, told: signal.Signals
) -> None:
    hold_back(server, 0.8)
    with service(adjudge, server) as (url, process):
        run = start(url)
        wait_for_answers(url, run, server)
        process.send_signal(told)
        _, shown = process.communicate(timeout=30)
        assert process.returncode == 0
        assert "Traceback" not in shown
    under_way = len(server.asked)
    assert under_way < ROWS
    server.answer = lambda _: says(GOOD)
    with next_service(server) as url:
        ask(f"{url}/api/v1/runs/{run}/events")
        assert ask(f"{url}/api/v1/runs/{run}")["outcomes"] == {"scored": ROWS}
    assert len(server.asked) == ROWS  # replies under way were kept: nothing is asked twice


def test_requests_under_way_get_their_answers(adjudge: Command, server: ChatServer) -> None:
    server.answer = lambda _: after(0.5, says(GOOD))
    item = {"question": "?", "answer": "answer number 1."}
    with service(adjudge, server) as (url, process):
        found: list[Any] = []
        body = {"judge": "helpfulness", "item": item}
        thread = threading.Thread(target=lambda: found.append(ask(f"{url}/api/v1/judge", body)))
        thread.start()
        server.wait_for(1)
        process.send_signal(signal.SIGTERM)
        thread.join(20)
        assert process.wait(20) == 0
    assert found[0]["scores"]["rating"]["value"] == 3


def test_a_second_signal_waits_for_nobody(adjudge: Command, server: ChatServer) -> None:
    hold_back(server, 60)
    with service(adjudge, server) as (url, process):
        run = start(url)
        wait_for_answers(url, run, server)
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(8) == 0
    ended = adjudge("show", run, "--store", "runs.db")
    assert ended.code == 0
