"""Korean MT-bench: `adjudge calibrate` gives back its Tables 6 (means) and 8 (failures).

What its authors read stands in for people's labels: `n` is then what both could read, the labels'
own mean is the published one, and the judge's mean differs only by what we read and they did not.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from typing import Any

import pytest
from tests.commands import Command
from tests.replay.recorded import ABSENT, DATA, Row, present, recorded

pytestmark = [
    pytest.mark.skipif(not present("kmtbench_single"), reason=ABSENT),
    pytest.mark.slow,  # 13,608 verdicts
]

NAMES = {  # as the tables call the judges
    "Qwen2.5-7B": "Qwen-7B",
    "Qwen2.5-14B": "Qwen-14B",
    "Qwen2.5-32B": "Qwen-32B",
    "EXAONE-3.5-32B": "EXAONE-32B",
    "GPT-4o-mini": "GPT-4o-mini",
    "Gemma-4-12B": "Gemma-4-12B",
}
# Several ratings on one line, of which the authors take the last and we none; see docs/reading.md.
NOT_READ = 2


@cache
def _groups() -> dict[tuple[str, str, str], list[Row]]:
    """By language, judge and protocol."""
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in recorded("kmtbench_single"):
        groups[row["lang"], NAMES.get(row["judge"], row["judge"]), row["protocol"]].append(row)
    return groups


def _table(name: str) -> list[dict[str, str]]:
    tables = json.loads((DATA / "kmtbench_published_tables.json").read_text("utf-8"))
    rows: list[dict[str, str]] = tables[name]
    return rows


def _calibrated(adjudge: Command, rows: list[Row]) -> dict[str, Any]:
    adjudge.write("data.jsonl", [{"id": n, "answer": "…"} for n in range(len(rows))])
    replies = [{"item": n, "replies": [row["reply"]]} for n, row in enumerate(rows)]
    adjudge.write("replies.jsonl", replies)
    labels = [{"item": n, "quality": row["score"]} for n, row in enumerate(rows)]
    adjudge.write("labels.jsonl", labels)
    judge = {
        "judge": "mtbench",
        "version": 1,
        "title": "What do the recorded replies say?",
        "language": "en",
        "explain_in": "any",
        "reply": "text",
        "inputs": {"answer": {"judged": True}},
        "criteria": {
            "quality": {
                "guide": "How good is it?",
                "explain": False,
                "scale": {"type": "number", "min": 1, "max": 10},
            }
        },
    }
    (adjudge.folder / "judge.yaml").write_text(json.dumps(judge))
    run = ["run", "data.jsonl", "--judge", "judge.yaml", "-m", "replay:replies.jsonl", "--quiet"]
    assert adjudge(*run, "-j", "256", "--fresh").code == 0
    ended = adjudge("calibrate", "--labels", "labels.jsonl", "--rounds", "100", "--json")
    criteria: dict[str, Any] = ended.json["criteria"]
    return criteria["quality"]


def test_tables_6_and_8(adjudge: Command) -> None:
    failures = {
        (row["language"], row["judge"], row["protocol"]): row
        for row in _table("table8_parse_failures.csv")
    }
    means = {row["judge"]: row for row in _table("table6_single_scores.csv")}
    not_read = more_read = 0
    assert len(_groups()) == 24
    for (lang, judge, protocol), rows in _groups().items():
        found = _calibrated(adjudge, rows)
        published = failures[lang, judge, protocol]
        labelled = found["n"] + found["labelled_but_unscored"]
        assert len(rows) == int(published["expected_calls"])
        assert labelled == int(published["valid_calls"])
        failed = int(published["total_failures"])
        assert found["unscored"] <= failed + found["labelled_but_unscored"]
        not_read += found["labelled_but_unscored"]
        more_read += failed + found["labelled_but_unscored"] - found["unscored"]
        assert found["overall"]["exact"]["value"] == 1
        if protocol == "single_grade":
            mean = float(means[judge][f"{lang}_mean"])
            people, raw = found["mean"]["people"]["value"], found["mean"]["raw"]["value"]
            # To the last digit, but for the few replies that only they, or only we, can read.
            lost = found["labelled_but_unscored"]
            assert people == pytest.approx(mean, abs=0.0051 + 9 * lost / len(rows)), (lang, judge)
            assert raw == pytest.approx(mean, abs=0.0051 + 9 * failed / len(rows)), (lang, judge)
    assert not_read <= NOT_READ
    assert 71 <= more_read <= 76  # as in docs/reading.md
