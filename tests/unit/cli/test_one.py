from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Command
from tests.servers import ChatServer, says

from adjudge.running.asking import retry

from .conftest import GOOD, reply


@pytest.fixture
def one(adjudge: Command, server: ChatServer) -> list[str]:
    server.answer = lambda _: says(reply(4))
    return ["one", "--judge", "helpfulness", "-m", "m", "--base-url", server.base_url]


def test_for_people(adjudge: Command, one: list[str]) -> None:
    ended = adjudge(*one, "--set", "question=q", "--set", "answer=a = b")
    assert ended.code == 0
    assert "helpfulness by openai/m: scored" in ended.out
    assert "rating: 4 (excellent)" in ended.out
    assert "- It is short and clear." in ended.out
    assert ended.out.count(GOOD[:40]) == 2  # once as evaluation, once as analysis
    assert "100 tokens in (0 cached, 100 evaluated), 10 out, requests: 1" in ended.out


def test_for_programs(adjudge: Command, one: list[str]) -> None:
    row = adjudge(*one, "--set", "question=q", "--set", "answer=a", "--json").json
    assert row["scores"]["rating"] == {
        "outcome": "scored", "value": 4, "raw": 4, "rule": None, "label": "excellent", "unit": 1.0,
        "distribution": None, "confidence": None,
        "mass": None, "explanation": GOOD,
        "explanation_outcome": None, "why": None, "reason": None, "span": [405, 406],
    }  # fmt: skip
    assert row["reply"] == reply(4)


def test_files_and_standard_input(adjudge: Command, one: list[str], server: ChatServer) -> None:
    Path("q.txt").write_bytes("\ufeffWie geht's, 세계?\n".encode())
    arguments = ["--set", "question=@q.txt", "--set", "answer=@-"]
    assert adjudge(*one, *arguments, stdin="Tốt = @home\n".encode()).code == 0
    assert "Wie geht's, 세계?" in server.prompts[0]
    assert "\ufeff" not in server.prompts[0]
    assert "Tốt = @home" in server.prompts[0]


@pytest.mark.parametrize(
    ("answer", "stdin", "says_what"),
    [
        ("@nowhere.txt", b"", "cannot be read: No such file"),
        ("@.", b"", "cannot be read: Is a directory"),
        ("@-", b"\xff\xfe", "not UTF-8"),
        ("odd \udcff", b"", "not UTF-8"),
    ],
)
def test_what_cannot_be_read(
    adjudge: Command,
    one: list[str],
    server: ChatServer,
    answer: str,
    stdin: bytes,
    says_what: str,
) -> None:
    ended = adjudge(*one, "--set", "question=q", "--set", f"answer={answer}", stdin=stdin)
    assert ended.code == 2
    assert says_what in ended.err
    assert server.asked == []


def test_standard_input_twice(adjudge: Command, one: list[str]) -> None:
    ended = adjudge(*one, "--set", "question=@-", "--set", "answer=@-", stdin=b"x")
    assert ended.code == 2
    assert "only one field" in ended.err


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_reply_cannot_steer_the_terminal(
    adjudge: Command, one: list[str], server: ChatServer, form: list[str]
) -> None:
    odd = f"{GOOD} \x1b[31mred \x9b2J \u202etxt\r"
    server.answer = lambda _: says(reply(3, evaluation=odd, strengths=[odd, odd]))
    shown = adjudge(*one, "--set", "question=q", "--set", "answer=a", *form).out
    assert not set("\x1b\x9b\u202e\r") & set(shown)
    assert r"\x1b[31mred" in shown or r"\u001b[31mred" in shown


def test_no_answer_says_why_on_stderr_too(
    adjudge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "_FIRST_WAIT", 0.001)
    where = ("-m", "openai/m", "--base-url", "http://127.0.0.1:9/v1")
    ended = adjudge(
        "one", "--judge", "helpfulness", *where, "--set", "question=q", "--set", "answer=a"
    )
    assert ended.code == 1
    assert "no answer came from the model: nothing answers at 127.0.0.1:9" in ended.err
