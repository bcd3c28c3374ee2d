"""LLMBar: what the order of a prompt does to a judge, from recorded verdicts through `compare`.

Per item the share of the two orders in which the judge named the better answer; an order that names
nobody counts as wrong, as its authors count it. docs/evidence/asking.md has the table.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from tests.replay.recorded import ABSENT, Row, present, recorded

import adjudge

pytestmark = [
    pytest.mark.skipif(not present("llmbar_verdicts"), reason=ABSENT),
    pytest.mark.slow,  # thirty runs
]

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "asking.md"
JUDGES = ("GPT-4", "PaLM2", "LLaMA2", "ChatGPT", "ChatGPT-0301", "Falcon")
WAYS = {
    "CoT": "reasons first",
    "Reference": "own answer first",
    "Metrics": "own checklist first",
    "Metrics_Reference": "both first",
}
JUDGE = {
    "judge": "right",
    "version": 1,
    "title": "In how many of the two orders is the judge right?",
    "language": "en",
    "explain_in": "any",
    "reply": "text",
    "inputs": {"answer": {"judged": True}},
    "criteria": {"right": {"scale": {"type": "number", "min": 0.0, "max": 1.0}, "explain": False}},
}


def share_right(row: Row) -> float:
    winners = (row["winner_ab"], row["winner_ba"])
    return sum(winner == str(row["label"]) for winner in winners) / 2


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], str]:
    """Names of the runs, by judge and way of asking, all in one store."""
    folder = tmp_path_factory.mktemp("llmbar")
    judge = folder / "right.yaml"
    judge.write_text(json.dumps(JUDGE))
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in recorded("llmbar_verdicts"):
        if row["judge"] in JUDGES and row["mode"] in {"Vanilla", *WAYS}:
            rows[row["judge"], row["mode"]].append(row)
    ids = {}
    for key, verdicts in rows.items():
        data, replies = folder / "data.jsonl", folder / f"{'-'.join(key)}.jsonl"
        data.write_text(
            "".join(json.dumps({"id": v["item_id"], "answer": "recorded"}) + "\n" for v in verdicts)
        )
        lines = ({"item": v["item_id"], "replies": [f"Score: {share_right(v)}"]} for v in verdicts)
        replies.write_text("".join(json.dumps(line) + "\n" for line in lines))
        run = adjudge.run(
            data,
            judge=str(judge),
            model=f"replay:{replies}",
            store=str(folder / "runs.db"),
            concurrency=256,
        )
        ids[key] = run.id
        run.close()
    ids["", "store"] = str(folder / "runs.db")
    return ids


def cells(runs: dict[tuple[str, str], str], judge: str) -> list[str]:
    """The row of the table: how often right without anything first, and points gained by each."""
    row = []
    for way in WAYS:
        found = adjudge.compare(runs[judge, "Vanilla"], runs[judge, way], store=runs["", "store"])
        difference = found.criteria["right"]
        stat = difference.paired.difference  # type: ignore[union-attr]
        if not row:
            row.append(f"{100 * difference.mean_a:.1f}")  # type: ignore[union-attr]
        assert stat.value is not None
        assert stat.low is not None
        assert stat.high is not None
        row.append(f"{100 * stat.value:+.1f} ({100 * stat.low:+.1f} to {100 * stat.high:+.1f})")
    return row


@pytest.mark.parametrize("judge", JUDGES)
def test_the_table_of_the_page(runs: dict[tuple[str, str], str], judge: str) -> None:
    text = PAGE.read_text("utf-8") if PAGE.exists() else ""
    known = re.search(rf"^\| {re.escape(judge)} \| (.+) \|$", text, re.MULTILINE)
    row = " | ".join(cells(runs, judge))
    assert known
    assert known[1] == row
