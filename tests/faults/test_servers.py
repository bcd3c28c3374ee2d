"""Servers that fail: nothing is lost, nothing is a number that is none."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from tests.commands import Command
from tests.servers import ChatServer, fails, resets, says

from adjudge.running.asking import retry

REPLY = json.dumps(
    {
        "evaluation": "The answer is correct, and it names everything that was asked about.",
        "rating": 3,
    }
)


@pytest.fixture
def command(adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(retry, "_FIRST_WAIT", 0.001)
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer {n}"} for n in range(40)]
    adjudge.write("data.jsonl", rows)
    return ["run", "data.jsonl", "--judge", "helpfulness", "-m", "openai/m",
            "--base-url", server.base_url, "--json", "--no-progress"]  # fmt: skip


def test_a_storm(adjudge: Command, server: ChatServer, command: list[str]) -> None:
    """A third of the requests fails; the run comes through, if need be at the second go."""
    dice = random.Random(1)  # noqa: S311 - the same storm each time
    ways: list[Any] = [fails(429, Retry_After="0.01"), fails(500), fails(503), resets()]
    server.answer = lambda _: dice.choice(ways) if dice.random() < 0.33 else says(REPLY)
    ended = adjudge(*command)
    assert ended.code == 0
    assert sum(ended.json["outcomes"].values()) == 40
    server.answer = lambda _: says(REPLY)
    assert adjudge(*command).json["outcomes"] == {"scored": 40}


def test_a_wrong_key_stops_at_once(
    adjudge: Command, server: ChatServer, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-key")
    server.answer = lambda _: fails(401, "Incorrect API key provided: sk-wrong-key \x07")
    ended = adjudge(*command)
    assert ended.code == 1
    assert ended.out == ""
    assert "OPENAI_API_KEY" in ended.err
    assert "sk-wrong-key" not in ended.err
    assert "\x07" not in ended.err
    assert len(server.asked) <= 8  # those in flight


def test_a_key_that_is_revoked_midway(
    adjudge: Command, server: ChatServer, command: list[str]
) -> None:
    server.script = [says(REPLY) for _ in range(10)]
    server.answer = lambda _: fails(401)
    assert adjudge(*command, "-j", "1").code == 1
    assert adjudge("show", "--json").json["outcomes"] == {"scored": 10}
    server.asked.clear()
    server.answer = lambda _: says(REPLY)
    ended = adjudge(*command)
    assert (ended.code, len(server.asked)) == (0, 30)


def test_a_server_that_is_down(adjudge: Command, server: ChatServer, command: list[str]) -> None:
    server.answer = lambda _: resets()
    ended = adjudge(*command, "--max-unscored", "10%", "-n", "3")
    assert ended.code == 3
    assert ended.json["means"] == {"rating": None}
    assert ended.json["outcomes"] == {"provider_error": 3}


def test_a_server_that_hangs(adjudge: Command, server: ChatServer, command: list[str]) -> None:
    from tests.servers import after

    server.script = [after(5, says(REPLY))]
    server.answer = lambda _: says(REPLY)
    ended = adjudge(*command, "-n", "1", "--timeout", "0.1")
    assert ended.json["outcomes"] == {"scored": 1}
    assert ended.json["attempts"] == 2
