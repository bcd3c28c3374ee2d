from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Command

from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reply import Reply
from adjudge.reading import Reading, read_reply
from adjudge.running import reread

from .conftest import reply


@pytest.fixture
def judged(adjudge: Command, answers: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a run whose third reply only a later reader can read; its model is gone."""
    run = str(adjudge("run", *answers, "--json").json["run"])
    Path("replies.jsonl").unlink()

    def kinder(judge: Judge, prompt: Prompt, said: Reply) -> Reading:
        text = reply(1) if "rather not" in said.text else said.text
        return read_reply(judge, prompt, Reply(text=text, finish=said.finish))

    monkeypatch.setattr(reread, "read_reply", kinder)
    return run


def test_tells_what_changed(adjudge: Command, judged: str) -> None:
    ended = adjudge("reread", judged[:6])
    assert ended.code == 0
    assert "read again: 3 verdicts, no model call made" in ended.out
    assert "verdicts that changed: 1 (1 unreadable → scored)" in ended.out
    assert "values that changed: 1" in ended.out
    assert [line.split() for line in ended.out.splitlines() if line.startswith("r3")] == [
        ["r3", "rating", "unreadable", "1"]
    ]
    assert "3 verdicts: 3 scored" in ended.out
    assert "verdicts that changed: 0\n" in adjudge("reread").out


def test_dry_run_writes_nothing(adjudge: Command, judged: str) -> None:
    ended = adjudge("reread", "--dry-run")
    assert "verdicts that would change: 1" in ended.out
    assert "nothing was written" in ended.out
    assert "3 verdicts: 3 scored" in ended.out
    assert adjudge("show", "--json").json["outcomes"] == {"scored": 2, "unreadable": 1}


def test_dry_run_with_a_file(adjudge: Command, judged: str) -> None:
    ended = adjudge("reread", "--dry-run", "-o", "x.csv")
    assert (ended.code, Path("x.csv").exists()) == (2, False)
    assert "--dry-run writes nothing" in ended.err


def test_as_json(adjudge: Command, judged: str) -> None:
    shown = adjudge("reread", "--json", "-o", "new.jsonl").json
    assert (shown["run"], shown["outcomes"], shown["files"]) == (
        judged,
        {"scored": 3},
        ["new.jsonl"],
    )
    told = shown["reread"]
    assert (told["changed"], told["values_changed"], told["dry_run"]) == (1, 1, False)
    assert told["outcomes"] == [{"old": "unreadable", "new": "scored", "count": 1}]
    (example,) = told["examples"]
    assert (example["item"], example["criterion"]) == ("r3", "rating")
    assert example["old"] == {"outcome": "unreadable", "value": None}
    assert example["new"] == {"outcome": "scored", "value": 1}
    assert len(Path("new.jsonl").read_text().splitlines()) == 3


def test_another_fingerprint_is_told(
    adjudge: Command, judged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.core.judge.READER_VERSION", 10_000)
    assert "helpfulness: reader, rules or wording differ from then (fingerprint " in (
        adjudge("reread").out
    )


def test_a_run_that_is_not_there(adjudge: Command, judged: str) -> None:
    assert adjudge("reread", "zzz").code == 2
