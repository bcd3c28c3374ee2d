from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Command
from tests.kept import readable
from tests.ptys import OnTerminal
from tests.servers import ChatServer, says

from .conftest import reply

TEXT = "a text of somebody"


@pytest.fixture
def run(adjudge: Command, server: ChatServer) -> str:
    """The id of a run whose two replies are in the cache."""
    server.answer = lambda _: says(reply(3))
    adjudge.write("d.jsonl", [{"id": n, "question": "q", "answer": f"{TEXT} {n}"} for n in "ab"])
    asking = ["--judge", "helpfulness", "-m", "openai/m", "--base-url", server.base_url]
    return str(adjudge("run", "d.jsonl", *asking, "--json").json["run"])


def test_nothing_of_it_is_left(adjudge: Command, run: str) -> None:
    assert any(TEXT.encode() in readable(file) for file in Path(".adjudge").iterdir())
    ended = adjudge("runs", "delete", run[:6], "--yes")
    assert ended.code == 0
    assert ended.out == f"run {run} is deleted: items 2, verdicts 2, kept replies 2\n"
    assert adjudge("runs", "--json").json == []
    assert adjudge("cache", "info", "--json").json["replies"] == 0
    for file in Path(".adjudge").iterdir():
        assert TEXT.encode() not in readable(file), file.name


def test_json(adjudge: Command, run: str) -> None:
    told = adjudge("runs", "delete", "latest", "--yes", "--json").json
    assert told == {"run": run, "items": 2, "verdicts": 2, "replies": 2}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["delete", "latest"], "add --yes"),
        (["delete", "none", "--yes"], "there is no run 'none'"),
        (["--store", "other.db", "delete", "latest", "--yes"], "write it behind `delete`"),
        (["remove", "latest"], "No such command 'remove'"),
    ],
)
def test_mistakes(adjudge: Command, run: str, arguments: list[str], says: str) -> None:
    ended = adjudge("runs", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err
    assert [each["run"] for each in adjudge("runs", "--json").json] == [run]


@pytest.mark.parametrize(("key", "left"), [("n\n", 1), ("\n", 1), ("y\n", 0)])
def test_it_asks_first(adjudge: Command, run: str, key: str, left: int) -> None:
    with OnTerminal("runs", "delete", "latest", folder=adjudge.folder) as screen:
        screen.expect(f"Delete run {run} (data d.jsonl, rows 2)? [y/N]:")
        screen.press(key)
        assert screen.ended() == 0
    assert len(adjudge("runs", "--json").json) == left
