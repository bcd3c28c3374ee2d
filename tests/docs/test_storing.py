"""docs/storing.md: its commands run, and its table has every choice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from tests.commands import Command
from tests.servers import ChatServer, says

from adjudge.stores import Keep

PAGE = (Path(__file__).parents[2] / "docs" / "storing.md").read_text("utf-8")
GOOD = json.dumps({"evaluation": "The answer is right and names what was asked.", "rating": 3})
PARTS = 3


@pytest.fixture
def judged(adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    server.answer = lambda _: says(GOOD)
    rows = [{"id": str(n), "question": "?", "answer": f"answer {n}."} for n in range(10)]
    adjudge.write("answers.jsonl", rows)
    model = ["-m", "openai/m", "--base-url", server.base_url, "--explain-in", "any", "--quiet"]
    (line,) = re.findall(r"^adjudge (run .* --shard 3/16 --store part-3.db)$", PAGE, re.MULTILINE)
    for n in range(1, PARTS + 1):
        said = line.replace("3/16", f"{n}/{PARTS}").replace("part-3", f"part-{n}")
        command = said.replace("answers.parquet", "answers.jsonl").split()
        assert adjudge(*command, *model).code == 0
    return adjudge


def test_parts_in_files_are_brought_together(judged: Command) -> None:
    assert 'for part in part-*.db; do adjudge store copy "$part" all.db; done' in PAGE
    for n in range(1, PARTS + 1):
        assert judged("store", "copy", f"part-{n}.db", "all.db").code == 0
    assert "adjudge show latest --store all.db" in PAGE
    assert judged("show", "latest", "--json", "--store", "all.db").json["verdicts"] == 10
    assert judged("runs", "--json", "--store", "all.db").json[0]["state"] == "finished"


def test_every_choice_of_what_is_kept_has_its_row() -> None:
    assert sorted(re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE)) == sorted(get_args(Keep))
