"""Counts of tokens that cannot be true, replies without end: no run stops for them, and no budget
is cheated. The server counts by itself what it has worked on."""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.commands import Command
from tests.servers import ChatServer, says

from adjudge.running.asking import retry

ROWS = 24
GOOD = json.dumps({"evaluation": "The answer is correct and names everything.", "rating": 3})
PRICE = ["--price", "in=10,out=100,cached=1"]


@pytest.fixture
def command(adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(retry, "_FIRST_WAIT", 0.001)
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer {n}."} for n in range(ROWS)]
    adjudge.write("data.jsonl", rows)
    return ["run", "data.jsonl", "--judge", "helpfulness", "-m", "openai/m", "--json",
            "--base-url", server.base_url, "--explain-in", "any"]  # fmt: skip


class Telling:
    """Answers well, works on `tokens` in and out for each request, and tells `usage`."""

    def __init__(self, server: ChatServer, usage: Any, tokens: tuple[int, int] = (900, 50)) -> None:
        self.usage, self.tokens, self.worked = usage, tokens, 0
        server.answer = lambda _: self.answer

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.worked += 1
        choice = {"message": {"role": "assistant", "content": GOOD}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": self.usage})

    @property
    def usd(self) -> float:
        tokens_in, out = self.tokens
        return self.worked * (tokens_in * 10 + out * 100) / 1e6

    @property
    def counted(self) -> int:
        return self.worked * sum(self.tokens)


LIES: list[Any] = [
    {"prompt_tokens": 2**32, "completion_tokens": 2**33},
    {"prompt_tokens": 2**70, "completion_tokens": 1e300},
    {"prompt_tokens": -900, "completion_tokens": -50},
    {"prompt_tokens": "NaN", "completion_tokens": "lots"},
    {"prompt_tokens": 0, "completion_tokens": 0},
    {"prompt_tokens": 900},
    {"completion_tokens": 50},
    {"prompt_tokens": 900, "completion_tokens": 50, "prompt_tokens_details": [1]},
    {"prompt_tokens": True, "completion_tokens": [50]},
    {},
    None,
    [],
    "none",
]


@pytest.mark.parametrize("usage", LIES, ids=repr)
def test_a_run_ends_whatever_is_told(
    adjudge: Command, server: ChatServer, command: list[str], usage: Any
) -> None:
    """With a verdict for every row, figures that can be summed up, and what was wrong beside it."""
    telling = Telling(server, usage)
    ended = adjudge(*command, *PRICE, "-o", "out.jsonl")
    assert (ended.code, ended.json["outcomes"]) == (0, {"scored": ROWS})
    assert telling.worked == ROWS
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    for row in rows:
        assert 200 <= row["usage"]["input_tokens"] <= 2000
        assert 10 <= row["usage"]["output_tokens"] <= 100
        assert 0.0 < row["usage"]["cost_usd"] < 0.1
    odd = "prompt_tokens_details" not in str(usage)
    for row in rows:
        assert any(note.startswith("usage: ") for note in row["notes"]) == odd
    assert bool(ended.json["usage"]["doubts"]) == odd
    assert adjudge("show", "--json").json["verdicts"] == ROWS
    text = adjudge("show").out
    assert ("some counts are not the provider's" in text) == odd


CHEATS: list[Any] = [
    *LIES[:6],
    {
        "prompt_tokens": 900,
        "completion_tokens": 50,
        "prompt_tokens_details": {"cached_tokens": 10**6},
    },
    {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 10**9}},
    None,
]


@pytest.mark.parametrize("usage", CHEATS, ids=repr)
@pytest.mark.parametrize("budget", ["0.1usd", "9ktok"])
def test_a_budget_holds_whatever_is_told(
    adjudge: Command, server: ChatServer, command: list[str], usage: Any, budget: str
) -> None:
    telling = Telling(server, usage)
    limits = ["--max-tokens", "50", "--budget", budget, "-j", "8"]
    ended = adjudge(*command, *PRICE, *limits)
    assert ended.code == 3
    assert ended.json["state"] == "stopped"
    assert telling.worked >= 2
    assert telling.usd <= 0.1 if "usd" in budget else telling.counted <= 9_000


def test_a_server_of_ones_own_that_does_not_count(
    adjudge: Command, server: ChatServer, command: list[str]
) -> None:
    """It costs nothing, but tokens were limited."""
    telling = Telling(server, None)
    command[command.index("openai/m")] = "vllm/m"
    ended = adjudge(*command, "--max-tokens", "50", "--budget", "9ktok")
    assert ended.code == 3
    assert telling.counted <= 9_000


def test_a_text_without_end(adjudge: Command, server: ChatServer, command: list[str]) -> None:
    """It is no answer; another one is asked for."""
    server.script = [says("x" * (2**21 + 1))]
    server.answer = lambda _: says(GOOD)
    ended = adjudge(*command)
    assert (ended.code, ended.json["outcomes"]) == (0, {"scored": ROWS})
    assert len(server.asked) == ROWS + 1
    server.answer = lambda _: says("x" * (2**21 + 1))
    ended = adjudge(*command, "--fresh", "-n", "1", "-o", "out.jsonl")
    assert ended.json["outcomes"] == {"provider_error": 1}
    assert "sent a text of 2,097,153 characters" in Path("out.jsonl").read_text()


def peak(pid: int) -> int:
    """The most memory that a process had so far, in KB; 0 when it has ended.

    What `wait4` tells begins with that of the process which started it.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) if found else 0


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the memory")
def test_large_bodies_at_once(adjudge: Command, server: ChatServer, command: list[str]) -> None:
    """Eight of 60 MB each, twice: all together take one bound of memory, not one each."""
    body = b'{"choices": [{"message": {"content": "' + b"x" * (60 * 2**20) + b'"}}]}'

    async def large(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": str(len(body))})
        await response.prepare(request)
        for start in range(0, len(body), 2**20):
            await response.write(body[start : start + 2**20])
        return response

    server.script = [large] * 16
    server.answer = lambda _: says(GOOD)
    process = adjudge.process(*command, "-j", "8", stdout=subprocess.DEVNULL, stderr=None)
    most = 0
    while process.poll() is None:
        most = max(most, peak(process.pid))
        time.sleep(0.01)
    assert process.returncode == 0
    assert adjudge("show", "--json").json["outcomes"] == {"scored": ROWS}
    assert len(server.asked) == ROWS + 16
    assert 0 < most < 500 * 1024  # KB; a bound for each would come to 2.4 GB
