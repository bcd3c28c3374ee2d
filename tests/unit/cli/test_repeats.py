from __future__ import annotations

import csv

import pytest
from tests.commands import Command

from .conftest import reply

ARGUMENTS = ["data.jsonl", "--judge", "helpfulness", "-m", "replay:replies.jsonl", "--repeat", "5"]


@pytest.fixture
def sampled(adjudge: Command) -> Command:
    """Two items with five replies each: one steady, one that flips."""
    adjudge.write("data.jsonl", [{"id": i, "question": f"{i}?", "answer": i} for i in ("s", "f")])
    samples = {"s": [3, 3, 3, 3, 3], "f": [3, 1, 3, 1, 3]}
    rows = [{"item": i, "replies": [reply(r) for r in given]} for i, given in samples.items()]
    adjudge.write("replies.jsonl", rows)
    return adjudge


def test_the_table(sampled: Command) -> None:
    shown = sampled("run", *ARGUMENTS).out
    assert "Samples of the same item" in shown
    assert "1 (50%)" in shown
    assert "20.0%" in shown
    assert "Samples of the same item" in sampled("show").out


def test_as_json(sampled: Command) -> None:
    shown = sampled("run", *ARGUMENTS, "--json").json["repeats"]
    assert shown["criteria"][0]["flip_rate"] == pytest.approx(0.2)
    assert shown["not_needed"] is None


def test_stopping_early(sampled: Command) -> None:
    ended = sampled("run", *ARGUMENTS, "--stop-when-stable")
    assert "2 of 10 samples (20%) were not needed" in ended.out
    assert sampled("show", "--json").json["repeats"]["not_needed"] == 2


def test_one_item(sampled: Command) -> None:
    sampled("run", *ARGUMENTS, "--quiet")
    shown = sampled("show", "--item", "f").out
    (line,) = (line.split() for line in shown.splitlines() if line.startswith("helpfulness  "))
    figures = "rating 3 2.20 1.10 40% 0.97 5 of 5"
    assert " ".join(line[1:]) == f"replay:replies.jsonl {figures}"


def test_export_by_item(sampled: Command) -> None:
    sampled("run", *ARGUMENTS, "--quiet")
    assert sampled("export", "--by-item", "-o", "x.csv", "-o", "x.parquet").code == 0
    with (sampled.folder / "x.csv").open(encoding="utf-8-sig") as file:
        steady, flips = csv.DictReader(file)
    assert (steady["samples"], steady["scores.rating.flip_rate"]) == ("5", "0.0")
    assert float(flips["scores.rating.value"]) == pytest.approx(2.2)
    assert flips["scores.rating.mode"] == "3"
    ended = sampled("export", "--by-item", "-o", "x.html")
    assert ended.code == 2
    assert "with --by-item or --parts the ending is one of" in ended.err


def test_too_few_to_stop(sampled: Command) -> None:
    ended = sampled("run", *ARGUMENTS[:-1], "2", "--stop-when-stable")
    assert ended.code == 2
    assert "--repeat 3 or more" in ended.err
