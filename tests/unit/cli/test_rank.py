from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command


@pytest.fixture
def compared(adjudge: Command) -> Command:
    """A run of thirty pairs: `good` beats `poor` in two of three, both orders mostly agreeing."""
    rows, replies = [], []
    for n in range(30):
        winner = "b" if n % 3 == 0 else "a"
        other = winner if n % 5 == 0 else {"a": "b", "b": "a"}[winner]
        texts: dict[str, Any] = {"answer_a": "Yes. " * (n % 7), "answer_b": "No. " * (n % 4)}
        rows.append(
            {"id": f"p{n}", "question": f"Question {n}?", "topic": "even" if n % 2 else "odd"}
            | texts
            | {"model_a": "good", "model_b": "poor"}
        )
        for order, said in (("ab", winner), ("ba", other)):
            text = json.dumps({"reasons": ["It is the more complete one."], "winner": said})
            replies.append({"item": f"p{n}", "order": order, "replies": [text]})
    for row in rows:  # an empty answer could not be judged
        row["answer_a"] = row["answer_a"] or "Yes."
        row["answer_b"] = row["answer_b"] or "No."
    adjudge.write("data.jsonl", rows)
    adjudge.write("replies.jsonl", replies)
    arguments = ["run", "data.jsonl", "--judge", "preference", "-m", "replay:replies.jsonl"]
    assert adjudge(*arguments, "--quiet").code == 0
    return adjudge


def test_the_page(compared: Command) -> None:
    ended = compared("rank", "latest", "--by", "topic", "--rounds", "200", "-o", "ranking.md")
    assert (ended.code, ended.err) == (0, "")
    assert "30 comparisons on 30 questions" in ended.out
    assert "At equal length, against poor" in ended.out
    assert "Both orders" in ended.out
    assert "topic even" in ended.out
    written = Path("ranking.md").read_text("utf-8")
    assert written.startswith("## Ranking of run ")
    assert "| good |" in written


def test_json(compared: Command) -> None:
    found = compared("rank", "latest", "--json", "--rounds", "200").json
    assert [each["system"] for each in found["systems"]] == ["good", "poor"]
    assert set(found["systems"][0]["strength"]) == {"value", "low", "high", "why"}
    assert found["orders"]["disagreed"] == 6
    assert (found["baseline"], found["variants"]) == ("poor", [])
    assert found["wins"][0] == {"system": "good", "over": "poor", "wins": 19.0, "of": 30.0}


def test_variants(compared: Command) -> None:
    named = ("rank", "latest", "--rounds", "200", "--variant", "good")
    assert "estimated from variants of the baseline: good." in compared(*named).out
    assert compared(*named, "--json").json["variants"] == ["good"]


def test_the_same_seed_gives_the_same_figures(compared: Command) -> None:
    one, two, other = (
        compared("rank", "latest", "--json", "--rounds", "200", "--seed", seed).out
        for seed in ("1", "1", "2")
    )
    assert one == two != other


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--a", "left", "--b", "right"], "--a left"),
        (["--rounds", "7"], "7 rounds"),
        (
            ["-o", "ranking.html"],
            "write the page as .md, or its tables as one of: .md, .tex, .csv, .json",
        ),
        (["--baseline", "best"], "there are: good, poor"),
    ],
)
def test_wrong_usage(compared: Command, arguments: list[str], said: str) -> None:
    ended = compared("rank", "latest", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_run_that_is_not_there(compared: Command) -> None:
    assert compared("rank", "nothing").code == 2


def test_a_judge_in_the_settings_is_what_runs_are_made_with(compared: Command) -> None:
    """`adjudge init` writes such a file; the run is ranked as without it."""
    (compared.folder / "adjudge.toml").write_text("judge = 'judges/own.yaml'\nmodel = 'embedded'\n")
    assert compared("rank", "latest", "--rounds", "200").code == 0
