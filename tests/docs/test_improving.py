"""What docs/improving.md says, run: its command with the flags that it names, and its Python."""

from __future__ import annotations

import csv
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command
from tests.servers import Answer, Body, ChatServer, says

import adjudge as package

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import improve as bench

sys.path.pop(0)
PAGE = (Path(__file__).parents[2] / "docs/improving.md").read_text("utf-8")
(ASKED,) = [
    shlex.split(line.removeprefix("$ adjudge "))
    for line in PAGE.splitlines()
    if line.startswith("$ adjudge ")
]
OTHER = {**bench.JUDGE, "title": "Another"}


@pytest.fixture
def folder(adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The files of the page; the writer answers a prompt that shows what people gave."""
    rows, people = bench.bank(80, 0)
    for name, table in (("answers.csv", rows), ("people.csv", people)):
        with (adjudge.folder / name).open("w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, table[0])
            out.writeheader()
            out.writerows(table)
    for name, judge in (("helpful.yaml", bench.JUDGE), ("other.yaml", OTHER)):
        (adjudge.folder / name).write_text(json.dumps(judge), "utf-8")
    judge_of, writer_of = bench.judge_model(0, planted=True), bench.writer_model(0)

    def answer(body: Body) -> Answer:
        messages = body["messages"]
        writes = "People gave:" in messages[-1]["content"]
        return says((writer_of if writes else judge_of)(messages).text)

    server.answer = answer
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    return adjudge


def test_the_command_and_the_python_of_the_page(folder: Command, server: ChatServer) -> None:
    foretold = folder(*ASKED, "--dry-run", "--json")
    assert foretold.code == 0, foretold.err
    assert not server.asked
    budget = (
        "--budget",
        "5usd",
        "--price",
        "in=1,out=4",
    )  # a server of their own has no known price
    ended = folder(*ASKED, *budget, "-o", "report.md", "-o", "tried.csv")
    assert ended.code == 0, ended.err
    assert {body["model"] for body in server.asked} == {"gpt-4o-mini", "gpt-4o"}
    assert len(server.asked) <= foretold.json["judge_calls"] + foretold.json["writer_calls"]
    assert bench.POLICY in Path("better.yaml").read_text("utf-8")
    kept = json.loads(Path("better.improve.json").read_text("utf-8"))
    assert {"candidates", "search", "held_out", "diff", "better"} <= kept.keys()
    assert {"report.md", "tried.csv"} <= {path.name for path in folder.folder.iterdir()}

    # What was answered is kept: the Python asks the judge's model as writer, and little else.
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {"adjudge": package}
    exec(code, names)  # noqa: S102 - what the page shows
    assert names["found"].better


@pytest.mark.parametrize("flags", re.findall(r"`(--(?:way|try-judge) [^`]+)`", PAGE))
def test_the_ways_of_the_page(folder: Command, flags: str) -> None:
    way = ["--way", "variants"] if "--try-judge" in flags else ["--tries", "2"]
    ended = folder(*ASKED, *flags.split(), *way)
    assert ended.code in {0, 3}, ended.err
    kept = json.loads(Path("better.improve.json").read_text("utf-8"))
    tried = {one["way"] for one in kept["candidates"]}
    assert tried == {"base", "variants" if "--try-judge" in flags else "rewrite"}
