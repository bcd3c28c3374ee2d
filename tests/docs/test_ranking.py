"""What docs/ranking.md says, run: its commands and its Python."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from tests.commands import Command

PAGE = (Path(__file__).parents[2] / "docs/ranking.md").read_text("utf-8")
BY, COLUMNS, SCORES, BASELINE, WRITTEN = [
    shlex.split(line.removeprefix("$ adjudge "))
    for line in PAGE.splitlines()
    if line.startswith("$ adjudge ")
]


@pytest.fixture
def compared(adjudge: Command) -> Command:
    """Thirty pairs of two systems, named in two pairs of columns."""
    names = {"model_a": "alpha", "model_b": "gpt-4o", "left": "alpha", "right": "gpt-4o"}
    texts = {"answer_a": "Yes, at once.", "answer_b": "No."}
    rows, replies = [], []
    for n in range(30):
        rows.append({"id": f"p{n}", "question": f"{n}?", "topic": "odd"[: n % 2 + 1]})
        rows[-1] |= names | texts
        for order, winner in (("ab", "ab"[n % 3 == 0]), ("ba", "ba"[n % 3 == 0])):
            said = json.dumps({"reasons": ["It is the better one."], "winner": winner})
            replies.append({"item": f"p{n}", "order": order, "replies": [said]})
    adjudge.write("data.jsonl", rows)
    adjudge.write("replies.jsonl", replies)
    run = ["run", "data.jsonl", "--judge", "preference", "-m", "replay:replies.jsonl", "--quiet"]
    assert adjudge(*run).code == 0
    return adjudge


@pytest.mark.parametrize("command", [BY, COLUMNS, BASELINE, WRITTEN])
def test_commands_for_pairs(compared: Command, command: list[str]) -> None:
    ended = compared(*command)
    assert (ended.code, ended.err) == (0, "")
    assert "alpha" in ended.out


def test_the_page_has_the_words_of_the_program(compared: Command) -> None:
    shown = compared(*BY).out
    for words in ("which count as half a win each", "Place  System  Strength"):
        assert words in PAGE
        assert words in shown


def test_the_command_for_scores(adjudge: Command) -> None:
    rows = [
        {"id": f"{q}{m}", "question_id": str(q), "model": m, "question": "Why?", "answer": "So."}
        for q in range(8)
        for m in ("alpha", "beta")
    ]
    reply = json.dumps({"evaluation": "It says all that was asked.", "rating": 4})
    adjudge.write("data.jsonl", rows)
    adjudge.write("replies.jsonl", [{"item": row["id"], "replies": [reply]} for row in rows])
    run = ["run", "data.jsonl", "--judge", "helpfulness", "-m", "replay:replies.jsonl", "--quiet"]
    assert adjudge(*run).code == 0
    ended = adjudge(*SCORES)
    assert (ended.code, ended.err) == (0, "")
    assert "Mean score" in ended.out


def test_the_python(compared: Command, capsys: pytest.CaptureFixture[str]) -> None:
    code = PAGE.split("```python\n")[1].split("```")[0]
    exec(compile(code, "ranking.md", "exec"), {})  # noqa: S102 - our own page
    assert "alpha" in capsys.readouterr().out
