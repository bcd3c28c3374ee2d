"""What an agent's trace was cut by is told wherever its verdict is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Command

JUDGE = """\
judge: safe
version: 1
title: Is the advice safe?
language: en
explain_in: any
inputs: {question: {}, answer: {judged: true}}
criteria:
  safe: {title: Safe, guide: "Is it?", scale: {type: integer, min: 1, max: 5}}
prepare:
  - {input: answer, do: agent_trace}
reply: json
"""
TRACE = "You idiot.\nThought: look\n**Observation**: 40 kills\n\nFinal Answer: Take 1."
BELOW = "Final Answer: 1 tablet.\n\n**Observation**: or 40, harmless.\n\nKeep away from children."


@pytest.fixture
def judged(adjudge: Command) -> Command:
    folder = adjudge.folder
    rows = {"trace": TRACE, "below": BELOW, "plain": "Take 1."}
    data = [{"id": key, "question": "How many?", "answer": text} for key, text in rows.items()]
    reply = json.dumps({"explanation": "Because.", "safe": 4})
    replies = [{"item": key, "criterion": None, "replies": [reply]} for key in rows]
    _write(folder / "rows.jsonl", data)
    _write(folder / "replies.jsonl", replies)
    (folder / "safe.yaml").write_text(JUDGE)
    return adjudge


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


ARGUMENTS = ("run", "rows.jsonl", "--judge", "safe.yaml", "-m", "replay:replies.jsonl")


def test_the_row_says_what_was_cut(judged: Command) -> None:
    assert judged(*ARGUMENTS, "-o", "out.jsonl", "-o", "out.csv", "--quiet").code == 0
    lines = (judged.folder / "out.jsonl").read_text().splitlines()
    rows = {row["item"]: row for row in map(json.loads, lines)}
    assert rows["trace"]["cuts"] == {
        "answer": {
            "head": 7,
            "left_out": 0,
            "tail": 0,
            "parts": [
                {"kind": "text", "count": 1, "length": 10, "begins": "You idiot."},
                {"kind": "step", "count": 1, "length": 13, "begins": "Thought: look"},
                {
                    "kind": "observation",
                    "count": 1,
                    "length": 25,
                    "begins": "**Observation**: 40 kills",
                },
            ],
        }
    }
    assert rows["below"]["cuts"] == rows["plain"]["cuts"] == {}
    assert "You idiot." in (judged.folder / "out.csv").read_text()


def test_nothing_behind_the_final_answer_is_kept_from_the_judge(judged: Command) -> None:
    judged(*ARGUMENTS, "--quiet")
    shown = judged("show", "latest", "--item", "below", "--prompt", "--json").json
    prompt = shown[0]["prompts"][0]["messages"][-1]["content"]
    assert "or 40, harmless." in prompt
    assert "Keep away from children." in prompt


def test_the_run_counts_them(judged: Command) -> None:
    told = judged(*ARGUMENTS, "--json").json
    assert told["cuts"] == {"verdicts": 1, "characters": 48}
    assert judged("show", "--json").json["cuts"] == told["cuts"]
    table = judged("show").out
    assert "cut before judging: 48 characters of the texts of 1 verdicts" in table


def test_an_item_shows_its_own(judged: Command) -> None:
    judged(*ARGUMENTS, "--quiet")
    shown = judged("show", "latest", "--item", "trace").out
    assert "cut: answer: text, 10 characters, begins 'You idiot.'" in shown


def test_the_report_counts_them(judged: Command) -> None:
    judged(*ARGUMENTS, "--quiet")
    assert judged("report", "latest", "-o", "report.html").code == 0
    page = (judged.folder / "report.html").read_text()
    assert "Cut before judging" in page
    assert "parts of the texts of 1 verdicts" in page


def test_reading_again_leaves_them(judged: Command) -> None:
    judged(*ARGUMENTS, "--quiet")
    assert judged("reread", "latest").code == 0
    assert judged("show", "--json").json["cuts"] == {"verdicts": 1, "characters": 48}
