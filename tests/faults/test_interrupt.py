"""Stopped in the middle: by Ctrl-C, by other signals, by kill -9, by the end of the terminal.

What was answered is kept and not asked again.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import threading
import time
from contextlib import closing

import pytest
from aiohttp import web
from tests.commands import Command
from tests.ptys import OnTerminal
from tests.servers import Answer, Body, ChatServer, after, says

ROWS = 12
ANSWERED = 5


def reply(rating: int = 3) -> str:
    text = "The answer is correct, and it names everything that the person asked about."
    return json.dumps({"evaluation": text, "rating": rating})


def row_of(body: Body) -> int:
    prompt = body["messages"][-1]["content"]
    return next(n for n in range(ROWS) if f"answer number {n}." in prompt)


@pytest.fixture
def command(adjudge: Command, server: ChatServer) -> list[str]:
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer number {n}."} for n in range(ROWS)]
    adjudge.write("data.jsonl", rows)
    server.answer = lambda body: says(reply()) if row_of(body) < ANSWERED else after(60, says(""))
    return ["run", "data.jsonl", "--judge", "helpfulness", "-m", "openai/m",
            "--base-url", server.base_url, "-j", "2"]  # fmt: skip


def wait_until_stuck(server: ChatServer) -> None:
    """All that is answered was taken in: the next two rows have been asked for."""
    server.wait_for(ANSWERED + 2)


def goes_on(adjudge: Command, server: ChatServer, command: list[str]) -> None:
    """The same command again asks for the other rows only, and finishes."""
    assert sorted(map(row_of, server.asked)) == list(range(ANSWERED + 2))
    server.asked.clear()
    server.answer = lambda _: says(reply())
    ended = adjudge(*command, "--json")
    assert ended.code == 0
    assert f"{ANSWERED} of {ROWS} are done" in ended.err
    assert sorted(map(row_of, server.asked)) == list(range(ANSWERED, ROWS))
    assert ended.json["outcomes"] == {"scored": ROWS}
    assert ended.json["state"] == "finished"


def test_interrupted_twice(adjudge: Command, server: ChatServer, command: list[str]) -> None:
    """The second Ctrl-C does not wait for what is under way."""
    process = adjudge.process(*command)
    wait_until_stuck(server)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    for line in process.stderr:
        if "Ctrl-C again stops at once" in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert out == ""
    assert "adjudge: interrupted; what was answered is kept." in err
    assert f"{ANSWERED}/{ROWS}" in err
    assert "Traceback" not in err
    (run,) = adjudge("runs", "--json").json
    assert run["state"] == "interrupted"
    assert adjudge("show", "--json").json["verdicts"] == ANSWERED
    goes_on(adjudge, server, command)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_once(
    adjudge: Command, server: ChatServer, command: list[str], number: signal.Signals
) -> None:
    """What is under way is waited for and kept, and nothing else is asked."""
    gate = threading.Event()

    async def slowly(request: web.Request) -> web.StreamResponse:
        await asyncio.to_thread(gate.wait, 20)
        return await says(reply())(request)

    server.answer = lambda body: says(reply()) if row_of(body) < ANSWERED else slowly
    process = adjudge.process(*command)
    wait_until_stuck(server)
    process.send_signal(number)
    assert process.stderr is not None
    for line in process.stderr:
        if "Ctrl-C again stops at once" in line:
            break
    gate.set()
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert len(server.asked) == ANSWERED + 2
    assert adjudge("show", "--json").json["verdicts"] == ANSWERED + 2
    assert adjudge("runs", "--json").json[0]["state"] == "interrupted"
    server.asked.clear()
    assert adjudge(*command, "--json").json["outcomes"] == {"scored": ROWS}
    assert len(server.asked) == ROWS - ANSWERED - 2


def test_the_terminal_is_closed(adjudge: Command, server: ChatServer, command: list[str]) -> None:
    """Nothing can be said any more; what is under way is kept all the same."""
    gate = threading.Event()

    async def slowly(request: web.Request) -> web.StreamResponse:
        await asyncio.to_thread(gate.wait, 20)
        return await says(reply())(request)

    server.answer = lambda body: says(reply()) if row_of(body) < ANSWERED else slowly
    terminal = OnTerminal(*command, folder=adjudge.folder)
    wait_until_stuck(server)
    terminal.hang_up()
    time.sleep(0.3)
    gate.set()
    assert terminal.process.wait(20) == 130
    assert len(server.asked) == ANSWERED + 2
    assert adjudge("show", "--json").json["verdicts"] == ANSWERED + 2
    assert adjudge("runs", "--json").json[0]["state"] == "interrupted"


def test_interrupted_between_the_calls_of_a_row(adjudge: Command, server: ChatServer) -> None:
    """The replies of a row that is half done are kept: the other calls alone are made later."""
    adjudge.write("data.jsonl", [{"id": "1", "source": "s", "response": "r"}])
    korean = "응답은 원문의 내용을 정확하게 담고 있으며 문장이 자연스럽습니다."
    good = json.dumps({"explanation": korean, "score": 4}, ensure_ascii=False)
    said = threading.Event()

    async def last_one_slowly(request: web.Request) -> web.StreamResponse:
        said.set()
        await asyncio.sleep(60)
        raise AssertionError

    def answer(body: Body) -> Answer:
        return says(good) if len(server.asked) <= 4 else last_one_slowly

    server.answer = answer
    command = ["run", "data.jsonl", "--judge", "gptscore", "-m", "openai/m",
               "--base-url", server.base_url, "-j", "2", "--explain-in", "any"]  # fmt: skip
    process = adjudge.process(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert said.wait(20)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    answered = 4
    asked = len(server.asked)
    server.asked.clear()
    server.answer = lambda _: says(good)
    assert adjudge(*command, "--json").json["verdicts"] == 1
    assert asked - answered <= 2
    assert len(server.asked) == 9 - answered


def test_killed(adjudge: Command, server: ChatServer, command: list[str]) -> None:
    """Not even what was answered a moment ago is lost."""
    process = adjudge.process(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until_stuck(server)
    process.kill()
    process.wait(20)
    (run,) = adjudge("runs", "--json").json
    assert run["state"] == "interrupted"
    goes_on(adjudge, server, command)


def test_killed_while_answers_stream_in(
    adjudge: Command, server: ChatServer, command: list[str]
) -> None:
    """At most what was in flight is asked a second time."""
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer {n}"} for n in range(300)]
    adjudge.write("data.jsonl", rows)
    server.answer = lambda _: says(reply())
    process = adjudge.process(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server.wait_for(60)
    process.kill()
    process.wait(20)
    before = len(server.asked)
    ended = adjudge(*command, "--json", "--no-progress")
    assert ended.json["outcomes"] == {"scored": 300}
    assert 60 <= before < 300
    assert len(server.asked) <= 300 + 2 + 1  # two were in flight, one in 250 may wait for the disk


def test_interrupted_while_asking_again(
    adjudge: Command, server: ChatServer, command: list[str]
) -> None:
    """A retry that waits for a minute does not hold up the end."""
    begun = threading.Event()

    async def busy(request: web.Request) -> web.StreamResponse:
        begun.set()
        return web.json_response({}, status=429, headers={"Retry-After": "60"})

    server.answer = lambda _: busy
    process = adjudge.process(*command)
    assert begun.wait(20)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130


def test_a_store_that_another_process_holds(
    adjudge: Command, server: ChatServer, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run says so, and what was answered meanwhile is written once the store is free."""
    from adjudge.stores.dialects import sqlite

    monkeypatch.setattr(sqlite, "PATIENCE", 0.1)
    server.answer = lambda _: says(reply())
    assert adjudge(*command, "-n", "1", "--quiet").code == 0
    with closing(sqlite3.connect(".adjudge/adjudge.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        ended = adjudge(*command, "--quiet")
    assert ended.code == 1
    assert "Another process is writing to it" in ended.err
    assert len(server.asked) == 1


@pytest.mark.parametrize("times", [1, 2])
def test_a_search_for_a_better_judge_goes_on(
    adjudge: Command, server: ChatServer, times: int
) -> None:
    """Stopped while the writer is asked; the replies so far are kept, of one Ctrl-C this one too.
    The same command again asks nothing twice, and comes to its end."""
    rows = [{"id": f"r{n}", "question": f"{n}?", "answer": f"answer {n}."} for n in range(24)]
    adjudge.write("data.jsonl", rows)
    labels = [f"r{n},{n % 4 + 1}" for n in range(24)]
    (adjudge.folder / "people.csv").write_text("\n".join(["item,rating", *labels]))
    command = ["improve", "helpfulness", "data.jsonl", "--labels", "people.csv", "--way", "rewrite",
               "--tries", "2", "-m", "openai/m", "--base-url", server.base_url]  # fmt: skip
    gate = threading.Event()

    def writes(body: Body) -> bool:
        return "People gave:" in body["messages"][-1]["content"]

    async def slowly(request: web.Request) -> web.StreamResponse:
        await asyncio.to_thread(gate.wait, 20)
        return await says(json.dumps({"guide": "Be strict.", "steps": []}))(request)

    server.answer = lambda body: slowly if writes(body) else says(reply())
    process = adjudge.process(*command)
    server.wait_for(25)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    for line in process.stderr:
        if "Ctrl-C again stops at once" in line:
            break
    if times == 2:
        process.send_signal(signal.SIGINT)
    else:
        gate.set()
    _, err = process.communicate(timeout=20)
    gate.set()
    assert process.returncode == 130
    assert err.endswith("adjudge: interrupted; what was answered is kept.\n")
    assert "Traceback" not in err
    assert list(map(writes, server.asked)) == [False] * 24 + [True]
    before = [body["messages"] for body in server.asked[: 26 - times]]
    server.asked.clear()
    ended = adjudge(*command)
    assert ended.code == 3, ended.err
    assert server.asked
    assert not [body for body in server.asked if body["messages"] in before]
