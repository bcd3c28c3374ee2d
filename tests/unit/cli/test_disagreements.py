from __future__ import annotations

import csv

import pytest
from tests.commands import Command

from .conftest import reply


@pytest.fixture
def labelled(adjudge: Command) -> Command:
    """Three items; people and the judge differ in two of them."""
    items = [f"r{n}" for n in range(3)]
    adjudge.write("data.jsonl", [{"id": i, "question": f"{i}?", "answer": i} for i in items])
    rows = [{"item": i, "replies": [reply(4)]} for i in items]
    adjudge.write("replies.jsonl", rows)
    ended = adjudge("run", "data.jsonl", "--judge", "helpfulness", "-m", "replay:replies.jsonl")
    assert ended.code == 0
    lines = ["item,rater,rating,comment", "r0,ann,3,too long", "r1,ann,1,", "r2,ann,4,"]
    (adjudge.folder / "people.csv").write_text("\n".join(lines))
    return adjudge


def test_shown_and_written(labelled: Command) -> None:
    ended = labelled("disagreements", "--labels", "people.csv", "-o", "d.csv", "-o", "d.md")
    assert ended.code == 0
    assert (
        "3 items have both a score and a label. Judge and people differ in 2 of them" in ended.out
    )
    worst = ended.out.partition("Items, worst first")[2]
    assert worst.index("r1") < worst.index("r0")
    assert "too long" in ended.out
    with (labelled.folder / "d.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == ["r1", "r0"]
    assert rows[0]["difference"] == "3.0"
    assert rows[1]["comments.ann"] == "too long"
    assert "Items, worst first" in (labelled.folder / "d.md").read_text()


def test_as_json(labelled: Command) -> None:
    shown = labelled("disagreements", "--labels", "people.csv", "--json").json
    rating = shown["graders"][0]["criteria"]["rating"]
    assert [one["item"] for one in rating["items"]] == ["r1", "r0"]
    assert rating["no_slips"].startswith("too few labels: 3")


def test_without_labels(labelled: Command) -> None:
    ended = labelled("disagreements")
    assert ended.code == 2
    assert "--labels" in ended.err
