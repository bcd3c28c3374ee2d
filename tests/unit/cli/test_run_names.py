"""Runs that people can find: names, tags, and tables of them as files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Command
from tests.servers import ChatServer, says

from .conftest import reply


@pytest.fixture
def named(adjudge: Command, answers: list[str]) -> Command:
    """Two runs: week-45, and week-46 of the same data with a tag."""
    adjudge("run", *answers, "--name", "week-45", "--tag", "bot=v1")
    adjudge("run", *answers, "-n", "2", "--name", "week-46", "--tag", "bot=v2", "--tag", "by=ann")
    return adjudge


def test_a_name_stands_in_place_of_the_id(named: Command) -> None:
    listed = named("runs").out
    runs = named("runs", "--json").json
    assert [run["name"] for run in runs] == ["week-46", "week-45"]
    assert "week-45" in listed
    assert runs[0]["run"] not in listed
    assert "bot=v2 by=ann" in listed
    assert "run week-46 (finished)" in named("show", "week-46").out
    assert named("show", "week-45", "--json").json["run"] == runs[1]["run"]
    named("report", "week-46", "-o", "r.html")
    assert "week-46" in Path("r.html").read_text("utf-8")


def test_by_how_long_ago_and_by_tag(named: Command) -> None:
    names = [named("show", run, "--json").json["name"] for run in ("latest~1", "tag:bot=v1")]
    assert names == ["week-45", "week-45"]
    assert named("show", "tag:bot=v2", "--json").json["name"] == "week-46"


def test_filters_and_order(named: Command) -> None:
    def names(*flags: str) -> list[str]:
        return [run["name"] for run in named("runs", *flags, "--json").json]

    assert names("--tag", "bot=v1") == ["week-45"]
    assert names("--judge", "helpfulness") == ["week-46", "week-45"]
    assert names("--judge", "chatbot") == names("-m", "openai/x") == []
    assert names("--sort", "name") == ["week-45", "week-46"]
    assert names("--sort", "rows") == ["week-45", "week-46"]


def test_settings_of_runs_filter_no_list(named: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_JUDGE", "chatbot")
    monkeypatch.setenv("ADJUDGE_TAG", "bot=v9")
    assert len(named("runs", "--json").json) == 2


def test_a_name_belongs_to_one_run(named: Command, answers: list[str]) -> None:
    ended = named("run", *answers, "-n", "1", "--name", "week-46")
    assert ended.code == 2
    assert "already has the name 'week-46'" in ended.err
    assert "Choose another --name, or delete that run" in ended.err
    assert len(named("runs", "--json").json) == 2  # nothing was begun


def test_a_run_that_goes_on_keeps_its_name(named: Command, answers: list[str]) -> None:
    assert named("run", *answers, "--json").json["name"] == "week-45"
    assert named("run", *answers, "--name", "better", "--json").json["name"] == "better"


def test_what_is_no_name(adjudge: Command, answers: list[str]) -> None:
    ended = adjudge("run", *answers, "--name", "latest")
    assert ended.code == 2
    assert "--name latest: this already means a run" in ended.err
    assert not Path(".adjudge").exists()


def test_the_list_as_files(named: Command) -> None:
    assert named("runs", "-o", "t.tex", "-o", "t.csv", "-o", "t.json", "-o", "t.md").code == 0
    assert r"week-46 & finished" in Path("t.tex").read_text("utf-8")
    assert Path("t.csv").read_text("utf-8-sig").splitlines()[1].startswith("week-46,finished,")
    assert [run["name"] for run in json.loads(Path("t.json").read_text("utf-8"))] == [
        "week-46",
        "week-45",
    ]
    assert "| week-46 |" in Path("t.md").read_text("utf-8")


def test_worst_items_and_slices(adjudge: Command) -> None:
    grades = {"a": 4, "b": 1, "c": 2, "d": 3}
    rows = [
        {"id": item, "question": "q?", "answer": f"Answer {item}", "topic": item in "ab"}
        for item in grades
    ]
    adjudge.write("d.jsonl", rows)
    adjudge.write("r.jsonl", [{"item": i, "replies": [reply(g)]} for i, g in grades.items()])
    adjudge("run", "d.jsonl", "--judge", "helpfulness", "-m", "replay:r.jsonl")
    shown = adjudge("show", "--worst", "2", "--slice", "topic").out
    assert shown.index("Answer b") < shown.index("Answer c")
    assert "Answer a" not in shown
    told = adjudge("show", "--worst", "2", "--slice", "topic", "--json").json
    assert [item["item"] for item in told["worst"]] == ["b", "c"]
    assert {part["value"]: part["mean"]["value"] for part in told["slices"]} == {
        "true": 2.5,
        "false": 2.5,
    }
    assert adjudge("show", "--slice", "topic", "-o", "s.csv").code == 0
    assert "topic,Items,rating" in Path("s.csv").read_text("utf-8-sig")
    ended = adjudge("show", "--item", "a", "--worst", "2")
    assert (ended.code, "--item shows one item" in ended.err) == (2, True)


def test_an_unknown_price_is_told_as_unknown(adjudge: Command, server: ChatServer) -> None:
    server.answer = lambda _: says(reply(3))
    adjudge.write("d.jsonl", [{"question": "q?", "answer": "a"}])
    at = ["--base-url", server.base_url]
    assert adjudge("run", "d.jsonl", "--judge", "helpfulness", "-m", "openai/m", *at).code == 0
    (run,) = adjudge("runs", "--json").json
    assert run["tokens"] > 0
    assert run["cost_usd"] is None
    assert "not known" in adjudge("runs").out


def test_a_run_that_goes_on_keeps_its_tags(named: Command, answers: list[str]) -> None:
    before = named("show", "week-45", "--json").json["run"]
    kept = {run["run"]: run["tags"] for run in named("runs", "--json").json}[before]
    named("run", *answers, "--tag", "by=ann")
    after = {run["run"]: run["tags"] for run in named("runs", "--json").json}[before]
    assert after == kept | {"by": "ann"}
    assert "continuing run week-45" in named("run", *answers).err
