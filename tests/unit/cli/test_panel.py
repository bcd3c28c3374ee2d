from __future__ import annotations

import csv
import json

import pytest
from tests.commands import Command

from .conftest import reply

RATINGS = {"low": [1, 2, 1, 4], "mid": [2, 2, 3, 4], "high": [4, 2, 3, None]}


@pytest.fixture
def panel(adjudge: Command) -> Command:
    """Four items by three models; one of them fails on the last."""
    items = [f"r{n}" for n in range(4)]
    adjudge.write("data.jsonl", [{"id": i, "question": f"{i}?", "answer": i} for i in items])
    models = []
    for model, ratings in RATINGS.items():
        replies = [reply(each) if each else "I would rather not." for each in ratings]
        rows = [{"item": i, "replies": [r]} for i, r in zip(items, replies, strict=True)]
        models += ["-m", f"replay:{adjudge.write(f'{model}.jsonl', rows)}"]
    ended = adjudge("run", "data.jsonl", "--judge", "helpfulness", *models)
    assert ended.code == 0
    assert "The panel combined" in ended.out
    return adjudge


def test_shows_members_and_disagreement(panel: Command) -> None:
    shown = panel("panel", "--how", "median").out
    assert "rating     median" in shown
    assert "rating, member by member" in shown
    assert "replay:high.jsonl  3 " in shown
    divided = shown.partition("Where members disagree most")[2]
    assert divided.index("r0") < divided.index("r2")
    assert "r1" not in divided


def test_writes_a_row_an_item(panel: Command) -> None:
    ended = panel("panel", "--sort", "disagreement", "-o", "p.csv", "-o", "p.md")
    assert ended.out.endswith("written: p.csv\nwritten: p.md\n")
    with (panel.folder / "p.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows][:2] == ["r0", "r2"]
    assert float(rows[0]["scores.rating.value"]) == pytest.approx(7 / 3)
    by_item = {row["item"]: row for row in rows}
    assert by_item["r3"]["scores.rating.scored"] == "2"
    assert by_item["r3"]["scores.rating.given.replay:high.jsonl"] == ""


def test_as_json(panel: Command) -> None:
    shown = panel("panel", "--json", "-o", "p.jsonl").json
    rating = shown["criteria"]["rating"]
    assert (rating["how"], rating["scored"], len(rating["members"])) == ("mean", 4, 3)
    assert shown["files"] == ["p.jsonl"]
    assert panel("show", "--json").json["panel"]["criteria"]["rating"]["how"] == "mean"
    lines = (panel.folder / "p.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["scores"]["rating"]["given"]["replay:low.jsonl"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--how", "weighted"], "weights come from agreement with people"),
        (["-m", "replay:low.jsonl"], "needs two members"),
        (["-m", "nobody"], "has only helpfulness by replay:low.jsonl"),
        (["-o", "p.html"], "write the report as .md"),
        (["--how", "best"], "'best' is not one of"),
    ],
)
def test_wrong_usage(panel: Command, arguments: list[str], said: str) -> None:
    ended = panel("panel", *arguments)
    assert ended.code == 2
    assert said in ended.err


JUDGE = """
judge: {name}
version: 1
title: How good?
language: en
explain_in: any
inputs: {{answer: {{judged: true}}}}
criteria:
  good: {{title: Good, guide: Goodness, scale: {{type: integer, min: 1, max: {most}}}}}
"""


@pytest.mark.parametrize(("most", "code"), [(5, 0), (10, 2)])
def test_several_judges(adjudge: Command, most: int, code: int) -> None:
    for name, top in (("strict", 5), ("mild", most)):
        (adjudge.folder / f"{name}.yaml").write_text(JUDGE.format(name=name, most=top))
    adjudge.write("data.jsonl", [{"id": n, "answer": f"It is {n}."} for n in range(3)])
    adjudge.write(
        "r.jsonl", [{"item": str(n), "replies": [f'{{"good": {n + 1}}}']} for n in range(3)]
    )
    judges = ["--judge", "strict.yaml", "--judge", "mild.yaml"]
    assert adjudge("run", "data.jsonl", *judges, "-m", "replay:r.jsonl", "--quiet").code == 0
    ended = adjudge("panel")
    assert ended.code == code
    said = "score good on different scales" if code else "strict by replay:r.jsonl"
    assert said in ended.out + ended.err
