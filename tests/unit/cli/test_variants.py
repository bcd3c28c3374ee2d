from __future__ import annotations

import csv
import json

import pytest
from tests.commands import Command

from .conftest import reply


@pytest.fixture
def shop(adjudge: Command) -> Command:
    """Forty rows, thirty of them labelled; one model is right, the other gives 1 to all."""
    adjudge.write(
        "data.jsonl", [{"id": f"r{n}", "question": f"{n}?", "answer": f"{n}"} for n in range(40)]
    )
    for name, value in (("right", None), ("low", 1)):
        rows = [{"item": f"r{n}", "replies": [reply(value or n % 4 + 1)]} for n in range(30)]
        adjudge.write(f"{name}.jsonl", rows)
    lines = [f"r{n},{n % 4 + 1}" for n in range(30)]
    (adjudge.folder / "people.csv").write_text("\n".join(["item,rating", *lines]))
    return adjudge


BOTH = ("-m", "replay:right.jsonl", "-m", "replay:low.jsonl", "--labels", "people.csv")


def test_only_labelled_rows_are_judged(shop: Command) -> None:
    """Nobody recorded a reply for the others, and nothing is unscored."""
    asked = ("variants", "data.jsonl", "--judge", "helpfulness", "--measure", "exact", *BOTH)
    ended = shop(*asked, "-o", "v.csv")
    assert ended.code == 0, ended.err
    assert "30 labelled items that all variants scored" in ended.out
    assert "Best: helpfulness by replay:right.jsonl. It shows 1.00" in ended.out
    assert "Shown to be worse: helpfulness by replay:low.jsonl." in ended.out
    with (shop.folder / "v.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["model"] for row in rows] == ["replay:right.jsonl", "replay:low.jsonl"]
    assert shop("runs", "--json").json[0]["data"] == "data.jsonl"
    again = shop(*asked, "--json").json
    assert again["criteria"]["rating"]["best"] == "helpfulness by replay:right.jsonl"


def test_refused_before_anything_is_asked(shop: Command) -> None:
    one = shop(
        *("variants", "data.jsonl", "--judge", "helpfulness", "--labels", "people.csv"),
        *("-m", "replay:right.jsonl"),
    )
    assert one.code == 2
    assert "one variant only" in one.err
    (shop.folder / "others.csv").write_text("item,rating\nx1,3\n")
    other = shop("variants", "data.jsonl", "--judge", "helpfulness", *BOTH[:-1], "others.csv")
    assert other.code == 2
    assert "'x1'" in other.err
    (shop.folder / "alike.csv").write_text("item,rating\nr1,3\nr2,3\n")
    alike = shop("variants", "data.jsonl", "--judge", "helpfulness", *BOTH[:-1], "alike.csv")
    assert alike.code == 2
    assert "All labels of rating are the same, so no spearman can be measured" in alike.err
    assert not (shop.folder / ".adjudge").exists()


def test_criteria_without_labels_are_passed_over(adjudge: Command) -> None:
    scale = "guide: Is it?, explain: false, scale: {type: binary}"
    (adjudge.folder / "two.yaml").write_text(
        "judge: two\nversion: 1\ntitle: Two\nlanguage: en\nexplain_in: any\n"
        "inputs: {answer: {required: true, judged: true}}\n"
        f"criteria: {{kind: {{{scale}}}, clear: {{{scale}}}}}\n"
    )
    adjudge.write("data.jsonl", [{"id": f"r{n}", "answer": f"{n}"} for n in range(20)])
    for name, part in (("a", 2), ("b", 3)):
        said = [json.dumps({"kind": True, "clear": n % part == 0}) for n in range(20)]
        rows = [{"item": f"r{n}", "replies": [text]} for n, text in enumerate(said)]
        adjudge.write(f"{name}.jsonl", rows)
    lines = [f"r{n},{'yes' if n % 2 == 0 else 'no'}" for n in range(20)]
    (adjudge.folder / "people.csv").write_text("\n".join(["item,clear", *lines]))
    models = ("-m", "replay:a.jsonl", "-m", "replay:b.jsonl")
    ended = adjudge(
        *("variants", "data.jsonl", "--judge", "two.yaml", *models, "--labels", "people.csv")
    )
    assert ended.code == 0, ended.err
    assert "Best: two by replay:a.jsonl. It shows 1.00" in ended.out
    assert "kind" not in ended.out
