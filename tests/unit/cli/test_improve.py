from __future__ import annotations

import json

import pytest
from tests.commands import Command

from .conftest import reply


@pytest.fixture
def shop(adjudge: Command) -> Command:
    """Eighty labelled rows; the recorded judge is a level too kind, or gives by chance."""
    adjudge.write(
        "data.jsonl", [{"id": f"r{n}", "question": f"{n}?", "answer": f"{n}"} for n in range(80)]
    )
    for name, value in (
        ("kind", lambda n: min(4, n % 4 + 2)),
        ("blind", lambda n: n * 7 // 5 % 4 + 1),
    ):
        rows = [{"item": f"r{n}", "replies": [reply(value(n))]} for n in range(80)]
        adjudge.write(f"{name}.jsonl", rows)
    lines = [f"r{n},{n % 4 + 1}" for n in range(80)]
    (adjudge.folder / "people.csv").write_text("\n".join(["item,rating", *lines]))
    return adjudge


ASKED = ("improve", "helpfulness", "data.jsonl", "--labels", "people.csv", "--way", "map")


def test_a_better_judge_is_written_with_all_that_was_tried(shop: Command) -> None:
    asked = (*ASKED, "-m", "replay:kind.jsonl", "--measure", "exact", "-o", "new.yaml")
    ended = shop(*asked, "-o", "tried.csv")
    assert ended.code == 0, ended.err
    assert "Shown to be better on labels that the search never saw." in ended.out
    assert "40 for the search, 40 held out" in ended.out
    assert "candidate 1: scores mapped" in ended.err
    assert (shop.folder / "new.yaml").read_text("utf-8").startswith("judge: helpfulness")
    kept = json.loads((shop.folder / "new.improve.json").read_text("utf-8"))
    assert kept["better"]
    assert [one["way"] for one in kept["candidates"]] == ["base", "map"]
    assert len(kept["held_out"]) == 40
    assert "scores mapped" not in (shop.folder / "tried.csv").read_text("utf-8")
    assert shop(*asked, "--json").json["p"] < 0.05


def test_what_is_not_shown_to_be_better_leaves_the_old_judge(shop: Command) -> None:
    ended = shop(*ASKED, "-m", "replay:blind.jsonl", "-o", "new.yaml")
    assert ended.code == 3
    assert "The old judge stays" in ended.out
    assert "not improved" in ended.err
    assert not (shop.folder / "new.yaml").exists()
    assert (shop.folder / "new.improve.json").exists()


def test_dry_run_asks_nobody_and_writes_nothing(
    shop: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    ended = shop(*ASKED[:-2], "-m", "openai/gpt-4o-mini", "--dry-run", "--json")
    assert ended.code == 0, ended.err
    assert ended.json["items"] == 80
    assert ended.json["writer_calls"] == 12
    assert ended.json["cost_usd"] > 0
    assert not (shop.folder / ".adjudge").exists()


def test_recorded_replies_alone_come_to_the_same(shop: Command) -> None:
    asked = (*ASKED, "-m", "replay:kind.jsonl", "--measure", "exact", "--json")
    first = shop(*asked, "--record", "replies.jsonl")
    assert first.code == 0, first.err
    again = shop(*asked, "--offline", "replies.jsonl", "--store", "other.db")
    assert again.code == 0, again.err
    assert {**again.json, "tokens": 0, "calls": 0} == {**first.json, "tokens": 0, "calls": 0}
    assert again.json["calls"] == 0
    missing = shop(*asked, "--offline", "replies.jsonl", "--temperature", "0.5")
    assert missing.code != 0
    assert "replies.jsonl" in missing.err


def test_refused_before_anything_is_asked(shop: Command) -> None:
    model = ("-m", "replay:kind.jsonl")
    several = shop(*ASKED, *model, "-o", "a.yaml", "-o", "b.yaml")
    assert several.code == 2
    assert shop(*ASKED, *model, "--held-out", "95%").code == 2
    assert shop(*ASKED, *model, "--criterion", "nosuch").code == 2
    for flag in ("--tries", "--shots"):
        assert f"{flag} must be at least 1" in shop(*ASKED, *model, flag, "0").err
    (shop.folder / "own.yaml").write_text("judge: own")
    over = shop("improve", "own.yaml", *ASKED[2:], *model, "-o", "./own.yaml")
    assert (over.code, "name a new file" in over.err) == (2, True)
    nothing = shop(*ASKED[:-1], "variants", *model)
    assert nothing.code == 2
    assert "--try-judge" in nothing.err
    alike = "\n".join(["item,rating", *(f"r{n},3" for n in range(80))])
    (shop.folder / "alike.csv").write_text(alike)
    same = shop("improve", "helpfulness", "data.jsonl", "--labels", "alike.csv", *model)
    assert same.code == 2
    assert "All labels of rating are the same, so no kappa can be measured" in same.err


def test_a_budget_in_usd_needs_a_price(shop: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    model = ("-m", "openai/mine", "--base-url", "http://127.0.0.1:9/v1", "--budget", "1usd")
    for asked in ((), ("--dry-run",)):
        ended = shop(*ASKED[:-2], *model, *asked)
        assert ended.code == 2
        assert "the price of openai/mine is not known" in ended.err
    people = ("--labels", "people.csv", "--writer", *model[1:])
    assert shop("run", "data.jsonl", "--judge", "helpfulness", "-m", "replay:kind.jsonl").code == 0
    ended = shop("disagreements", "latest", *people)
    assert (ended.code, "the price of openai/mine" in ended.err) == (2, True)
