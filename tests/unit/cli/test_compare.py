from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Command

from .conftest import reply

TWENTY = [f"r{n}" for n in range(20)]


@pytest.fixture
def runs(adjudge: Command) -> list[str]:
    """The ids of two runs on the same twenty rows: in the second, half are one better."""
    rows = [
        {"id": name, "question": f"{name}?", "answer": "A.", "topic": "odd" if n % 2 else "even"}
        for n, name in enumerate(TWENTY)
    ]
    adjudge.write("data.jsonl", rows)
    ids = []
    for run, better in (("a", 0), ("b", 1)):
        ratings = {name: 2 + better * (n % 2) for n, name in enumerate(TWENTY)}
        replies = [{"item": name, "replies": [reply(each)]} for name, each in ratings.items()]
        adjudge.write(f"{run}.jsonl", replies)
        ended = adjudge(
            "run", "data.jsonl", "--judge", "helpfulness", "-m", f"replay:{run}.jsonl", "--json"
        )  # fmt: skip
        ids.append(ended.json["run"])
    return ids


def test_what_people_see(adjudge: Command, runs: list[str]) -> None:
    ended = adjudge("compare", *runs, "--slice", "topic", "--detect", "0.3", "--movers", "1")
    assert ended.code == 0
    assert f"Run {runs[1]} against run {runs[0]}" in ended.out.splitlines()[0]
    assert "What differs: the model (replay:a.jsonl, then replay:b.jsonl)." in ended.out
    assert "rating     20     2.00 / 4  2.50 / 4  +0.50 [" in ended.out
    assert "10/10/0" in ended.out
    assert "B is higher by 0.50 (17% of the scale)" in ended.out
    assert "rating by topic" in ended.out
    assert "odd    10     +1.00" in ended.out
    assert "a true difference of 0.3 would show with a chance of" in ended.out
    assert "r1: A 2.00, B 3.00" in ended.out


def test_json(adjudge: Command, runs: list[str]) -> None:
    shown = adjudge("compare", *runs, "--json", "--gate", "rating.difference>=0.4").json
    rating = shown["criteria"]["rating"]
    assert (shown["run_a"], shown["run_b"], shown["shared"]) == (*runs, 20)
    assert rating["difference"]["value"] == 0.5
    assert (rating["n"], rating["wins"], rating["losses"]) == (20, 10, 0)
    assert rating["unscored"] == {"a": 0, "b": 0, "both": 0}
    assert shown["gates"][0]["passed"] is True
    assert json.dumps(shown)


def test_a_gate_that_fails(adjudge: Command, runs: list[str]) -> None:
    ended = adjudge("compare", *runs, "--gate", "rating.lower>=0.4")
    assert ended.code == 3
    assert "A gate failed: rating.lower>=0.4 is 0.2" in ended.err
    assert "FAILED" in ended.out


def test_markdown(adjudge: Command, runs: list[str]) -> None:
    ended = adjudge("compare", *runs, "-o", "c.md")
    assert "written: c.md" in ended.out
    assert "| rating | 20 | 2.00 / 4 | 2.50 / 4 |" in Path("c.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["-o", "c.html"],
            "write the page as .md, or its tables as one of: .md, .tex, .csv, .json",
        ),
        (["--slice", "topics"], "no item of either run has a column 'topics'"),
        (["--criterion", "ratings"], "no criterion 'ratings'; it has rating"),
        (["--gate", "rating>"], "not a condition"),
        (["--gate", "rating.spearman>=1"], "there is no figure 'spearman'"),
        (["--model-a", "gpt"], "has only helpfulness by replay:a.jsonl"),
        (["--confidence", "95"], "--confidence 95: name a share between 0 and 1"),
        (["--detect", "-1"], "--detect -1"),
    ],
)
def test_wrong_usage(adjudge: Command, runs: list[str], arguments: list[str], says: str) -> None:
    ended = adjudge("compare", *runs, *arguments)
    assert ended.code == 2
    assert says.casefold() in ended.err.casefold()


def test_runs_without_a_shared_item(adjudge: Command, runs: list[str]) -> None:
    adjudge.write("other.jsonl", [{"id": "x", "question": "?", "answer": "A."}])
    adjudge.write("c.jsonl", [{"item": "x", "replies": [reply(3)]}])
    adjudge("run", "other.jsonl", "--judge", "helpfulness", "-m", "replay:c.jsonl")
    ended = adjudge("compare", runs[0], "latest")
    assert ended.code == 2
    assert "The runs share no item" in ended.err


def test_items_without_an_id_are_matched_by_columns(adjudge: Command) -> None:
    """Ids come from the content, which next week's answers change."""
    for week, grades in (("1", (2, 3, 3)), ("2", (3, 4, 4))):
        rows = [{"question": f"Q{n}?", "answer": f"A{n} of week {week}"} for n in range(3)]
        rows.append({"question": "twice?", "answer": f"x{week}"})
        rows.append({"question": "twice?", "answer": f"y{week}"})
        adjudge.write(f"{week}.jsonl", rows)
        adjudge.write("none.jsonl", [{"item": "none", "replies": ["x"]}])
        adjudge("run", f"{week}.jsonl", "--judge", "helpfulness", "-m", "replay:none.jsonl",
                "-o", "ids.jsonl")  # fmt: skip
        ids = [json.loads(line)["item"] for line in Path("ids.jsonl").read_text().splitlines()]
        replies = [
            {"item": i, "replies": [reply(g)]} for i, g in zip(ids, (*grades, 1, 1), strict=True)
        ]
        adjudge.write(f"r{week}.jsonl", replies)
        adjudge("run", f"{week}.jsonl", "--judge", "helpfulness", "-m", f"replay:r{week}.jsonl",
                "--name", f"week-{week}")  # fmt: skip
    runs = ["week-1", "week-2"]
    ended = adjudge("compare", *runs)
    assert ended.code == 2
    assert "--match question" in ended.err
    assert "--unpaired" in ended.err
    found = adjudge("compare", *runs, "--match", "question", "--json").json
    assert found["paired"] is True
    assert found["matched_by"] == ["question"]
    assert (found["shared"], found["criteria"]["rating"]["difference"]["value"]) == (3, 1.0)
    assert any("4 items share their values" in caution for caution in found["cautions"])
    shown = adjudge("compare", *runs, "--match", "question").out
    assert "Run week-2 against run week-1" in shown
    alone = adjudge("compare", *runs, "--unpaired", "--json").json
    rating = alone["criteria"]["rating"]
    assert alone["paired"] is False
    assert (rating["n_a"], rating["n_b"]) == (5, 5)
    assert rating["difference"]["value"] == pytest.approx(0.6)
    assert rating["difference"]["low"] < 0 < rating["difference"]["high"]
    assert "Unpaired: the means of two separate sets" in adjudge("compare", *runs, "--unpaired").out
    assert adjudge("compare", *runs, "--unpaired", "--gate", "rating.lower>=0").code == 3
    assert adjudge("compare", *runs, "--unpaired", "--slice", "question").code == 2
    assert adjudge("compare", *runs, "--match", "answer").code == 2
    assert adjudge("compare", *runs, "--unpaired", "-o", "t.tex").code == 0
    assert r"\toprule" in Path("t.tex").read_text()
