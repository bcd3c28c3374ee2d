"""Budgets that hold: processes that are killed, several at once, servers that ignore limits.

The server counts every request that reaches it, answered or not: that is what would be billed.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import threading
from collections.abc import Iterator

import pytest
from aiohttp import web
from tests import postgres
from tests.commands import Command
from tests.servers import ChatServer

IN, OUT = 900, 50
EACH = IN + OUT
ROWS = 200
GOOD = json.dumps({"evaluation": "The answer is correct and names everything.", "rating": 3})
NOWHERE = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Billing:
    """Bills each request when it comes; answers wait for `open` once `free` of them are through."""

    def __init__(self, server: ChatServer) -> None:
        self.open, self.free, self.calls, self.tokens = threading.Event(), 0, 0, 0
        self.out = lambda: OUT
        server.answer = lambda _: self.answer

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.calls += 1
        wrote = self.out()
        self.tokens += IN + wrote
        free, self.free = self.free > 0, self.free - 1
        if not free:
            await asyncio.to_thread(self.open.wait, 60)
        await asyncio.sleep(0.02)
        usage = {"prompt_tokens": IN, "completion_tokens": wrote}
        choice = {"message": {"role": "assistant", "content": GOOD}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": usage})


@pytest.fixture
def billing(server: ChatServer) -> Iterator[Billing]:
    billing = Billing(server)
    yield billing
    billing.open.set()


@pytest.fixture
def command(adjudge: Command, server: ChatServer) -> list[str]:
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer {n}."} for n in range(ROWS)]
    adjudge.write("data.jsonl", rows)
    return ["run", "data.jsonl", "--judge", "helpfulness", "-m", "openai/m", "--no-progress",
            "--base-url", server.base_url, "--explain-in", "any",
            "--max-tokens", str(OUT)]  # fmt: skip


def spent() -> tuple[int, int]:
    """Tokens that the store counts as spent, and as reserved."""
    query = "SELECT (SELECT tokens FROM runs), (SELECT sum(tokens) FROM reservations)"
    ((done, reserved),) = postgres.ask(os.environ["ADJUDGE_STORE"], query)
    return int(done), int(reserved or 0)


@pytest.mark.usefixtures("usual_store")
def test_killed_again_and_again(
    adjudge: Command, server: ChatServer, command: list[str], billing: Billing
) -> None:
    """What was in flight counts, though no process is left that could say so."""
    budget = 40 * EACH
    command += ["--budget", f"{budget}tok", "-j", "8"]
    for _ in range(3):
        billing.free, before = 2, billing.calls
        process = adjudge.process(*command, **NOWHERE)
        server.wait_for(before + 4)  # two are answered; of the others some are stuck
        process.kill()
        process.wait(20)
    killed = billing.calls
    assert killed >= 3 * 4
    done, reserved = spent()
    assert reserved >= (killed - 6) * EACH
    assert reserved <= 3 * 2 * 8 * 1200  # as much as one request may cost, for twice -j of each
    billing.open.set()
    ended = adjudge(*command, "--json")
    assert ended.code == 3
    assert "stay reserved" in ended.err
    assert billing.tokens <= budget
    assert billing.calls > killed  # it is not used up for nothing
    assert spent()[1] == reserved  # nobody can know more about those; ours are given back
    assert spent()[0] >= done


@pytest.mark.usefixtures("usual_store")
def test_nothing_stays_reserved_otherwise(
    adjudge: Command, server: ChatServer, command: list[str], billing: Billing
) -> None:
    billing.open.set()
    command += ["--budget", f"{40 * EACH}tok", "--json"]
    ended = adjudge(*command, "-n", "20")
    assert (ended.code, ended.json["outcomes"]) == (0, {"scored": 20})
    assert spent() == (20 * EACH, 0)


@pytest.mark.usefixtures("usual_store")
def test_four_processes(
    adjudge: Command, server: ChatServer, command: list[str], billing: Billing
) -> None:
    """All of them together stay within it, and come close to it."""
    budget = 60 * EACH
    billing.open.set()
    # Half as many rows again as it pays for: every process meets its end.
    command += ["--budget", f"{budget}tok", "-j", "8", "-n", "90"]
    processes = [adjudge.process(*command, **NOWHERE) for _ in range(4)]
    assert [process.wait(100) for process in processes] == [3] * 4
    assert billing.tokens <= budget
    assert billing.tokens >= 0.8 * budget
    assert spent() == (billing.tokens, 0)


@pytest.mark.usefixtures("usual_store")
def test_one_of_two_processes_is_killed(
    adjudge: Command, server: ChatServer, command: list[str], billing: Billing
) -> None:
    """The other one does not wait for it, nor spend what it may have spent."""
    budget = 60 * EACH
    command += ["--budget", f"{budget}tok", "-j", "4"]
    billing.free = 8
    doomed = adjudge.process(*command, **NOWHERE)
    server.wait_for(12)
    other = adjudge.process(*command, **NOWHERE)
    server.wait_for(13)
    doomed.kill()
    doomed.wait(20)
    billing.open.set()
    assert other.wait(100) == 3
    assert billing.tokens <= budget
    assert billing.tokens >= 0.6 * budget


LONG = 20 * OUT
WRITES = {
    "always": lambda _: LONG,
    "at times": lambda call: LONG if call % 3 == 2 else OUT,
    "longer and longer": lambda call: min(LONG, OUT + 30 * call),
}


@pytest.mark.parametrize("at_once", [1, 16])
@pytest.mark.parametrize("kind", WRITES)
def test_a_server_that_ignores_max_tokens(
    adjudge: Command, command: list[str], billing: Billing, at_once: int, kind: str
) -> None:
    """Who always does is found out by the first request, which goes alone. Else those that were
    under way when it was found out may write more than was reserved for them."""
    billing.out = lambda: WRITES[kind](billing.calls)
    billing.open.set()
    budget = 20_000
    command += ["--budget", f"{budget}tok", "-j", str(at_once)]
    assert adjudge(*command, "--json").code == 3
    beyond = 0 if kind == "always" else at_once * (LONG - OUT)
    assert billing.tokens <= budget + beyond
    assert billing.calls >= 5
