"""`adjudge models`: the list, and what a check prints and keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command
from tests.servers import Answer, ChatServer, fails, says


@pytest.fixture(autouse=True)
def own_cache(adjudge: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))


def test_the_list_names_providers_and_the_default(
    adjudge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = adjudge("models")
    assert ended.code == 0
    assert "anthropic" in ended.out
    assert "`embedded` alone means embedded/qwen2.5-coder-1.5b" in ended.out
    assert "adjudge models check MODEL" in ended.out
    monkeypatch.setenv("ADJUDGE_EMBEDDED", "smollm2-135m")
    assert "`embedded` alone means embedded/smollm2-135m" in adjudge("models").out
    shown = adjudge("models", "--json").json
    assert [each["model"] for each in shown["embedded"] if each["default"]] == [
        "embedded/smollm2-135m"
    ]


def test_a_check_is_printed_kept_and_listed(adjudge: Command, server: ChatServer) -> None:
    def answer(body: dict[str, Any]) -> Answer:
        if "response_format" in body:
            return fails(400, "response_format is not supported here")
        return says("Hello")

    server.answer = answer
    asked = ("models", "check", "openai/m", "--base-url", server.base_url)
    ended = adjudge(*asked, "--price", "in=1,out=2")
    assert ended.code == 0, ended.err
    assert "no: the server refuses a schema" in ended.out
    assert "$1 per million tokens in, $2 out" in ended.out
    # 600 tokens in and 60 out, whatever else was refused on the way
    assert "7 calls, 600 tokens in, 60 out, $0.000720" in ended.out
    listed = adjudge("models", "--json").json["checked"]
    assert [each["json_schema"] for each in listed] == [False]
    assert "openai/m" in adjudge("models").out


def test_what_was_found_is_said_before_the_run_begins(adjudge: Command, server: ChatServer) -> None:
    refused: list[dict[str, Any]] = []

    def answer(body: dict[str, Any]) -> Answer:
        if "response_format" in body:
            refused.append(body)
            return fails(400, "response_format is not supported here")
        return says("Hello")

    server.answer = answer
    where = ("--base-url", server.base_url)
    adjudge("models", "check", "openai/m", *where)
    assert refused
    refused.clear()
    adjudge.write("data.jsonl", [{"question": "Why?", "answer": "So."}])
    arguments = ("data.jsonl", "--judge", "helpfulness", "-m", "openai/m", *where)
    ended = adjudge("run", *arguments)
    first = ended.err.splitlines()[0]
    assert first == ("openai/m does not support JSON schemas: helpfulness is asked in words only")
    assert not refused  # what is known is not tried again
    ahead = adjudge("run", *arguments, "--dry-run")
    assert "does not support JSON schemas" in ahead.out


def test_what_is_refused_on_the_way_is_said_at_once(adjudge: Command, server: ChatServer) -> None:
    server.answer = lambda body: (
        fails(400, "response_format is not supported here")
        if "response_format" in body
        else says("Hello")
    )
    adjudge.write("data.jsonl", [{"question": "Why?", "answer": "So."}])
    ended = adjudge(
        *("run", "data.jsonl", "--judge", "helpfulness"),
        *("-m", "openai/m", "--base-url", server.base_url),
    )
    assert ended.err.count("openai/m does not accept a JSON schema: from now on") == 1


def test_a_replay_has_nothing_to_check(adjudge: Command) -> None:
    adjudge.write("replies.jsonl", [{"item": "1", "replies": ["4"]}])
    ended = adjudge("models", "check", "replay:replies.jsonl")
    assert ended.code == 2
    assert "nothing to check" in ended.err


def test_as_json(adjudge: Command, server: ChatServer) -> None:
    server.answer = lambda _: says(json.dumps({"verdict": "plum"}))
    ended = adjudge("models", "check", "openai/m", "--base-url", server.base_url, "--json")
    assert ended.json["json_schema"] is True
    assert ended.json["logprobs"] is False
    assert ended.json["price"] is None
    assert ended.json["usage"]["cost_usd"] is None


def test_a_server_that_is_not_there(adjudge: Command) -> None:
    ended = adjudge("models", "check", "openai/m", "--base-url", "http://127.0.0.1:9/v1")
    assert ended.code == 1
    assert "nothing answers at 127.0.0.1:9" in ended.err
    assert ended.err.count("\n") == 1
