from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Command
from tests.servers import ChatServer, says

from .conftest import reply

ODD = "fine \x1b[2J\x07 \u202egood\r"


@pytest.fixture
def judged(adjudge: Command, answers: list[str]) -> str:
    """The id of a run."""
    return str(adjudge("run", *answers, "--json").json["run"])


class TestRun:
    @pytest.mark.parametrize("name", ["latest", None, "whole", "part"])
    def test_is_found(self, adjudge: Command, judged: str, name: str | None) -> None:
        named = {"whole": judged, "part": judged[:5], "latest": "latest"}
        ended = adjudge("show", *([named[name]] if name else []))
        assert ended.code == 0
        assert f"run {judged} (finished): helpfulness on data.jsonl" in ended.out
        assert "unscored because" in ended.out
        assert "item r3, rating" in ended.out

    def test_as_json(self, adjudge: Command, judged: str) -> None:
        assert adjudge("show", "--json").json["means"] == {"rating": 3.0}

    @pytest.mark.parametrize(
        "arguments", [["show", "zzz"], ["export", "zzz", "-o", "x.csv"], ["show", "--item", "no"]]
    )
    def test_is_not_found(self, adjudge: Command, judged: str, arguments: list[str]) -> None:
        ended = adjudge(*arguments)
        assert ended.code == 2
        assert "zzz" in ended.err or "no verdict on an item 'no'" in ended.err
        assert not Path("x.csv").exists()


class TestItem:
    def test_with_its_reply(self, adjudge: Command, judged: str) -> None:
        shown = adjudge("show", "--item", "r3", "--reply").out
        assert "Question 3?" in shown
        assert "no score, unreadable" in shown
        assert "--- reply ---\nI would rather not." in shown

    def test_as_json(self, adjudge: Command, judged: str) -> None:
        (row,) = adjudge("show", "--item", "r1", "--json", "--prompt", "--reply").json
        assert row["data"] == {"question": "Question 1?", "answer": "Answer 1"}
        assert row["calls"][0]["replies"] == [reply(4)]
        assert "Answer 1" in row["prompts"][0]["messages"][-1]["content"]


class TestPrompt:
    def run(self, adjudge: Command, server: ChatServer, *more: str) -> None:
        server.answer = lambda _: says(reply(3))
        adjudge.write("data.jsonl", [{"id": "a b", "question": f"Why {ODD}?", "answer": ODD}])
        ended = adjudge(
            "run", "data.jsonl", "-m", "openai/m", "--base-url", server.base_url, "--quiet", *more
        )
        assert ended.code == 0

    def test_is_exactly_what_was_sent(self, adjudge: Command, server: ChatServer) -> None:
        self.run(adjudge, server, "--judge", "helpfulness", "--explain-in", "de")
        (row,) = adjudge("show", "--item", "a b", "--prompt", "--json").json
        assert row["prompts"][0]["messages"] == server.asked[0]["messages"]

    def test_of_a_judge_that_changed_since(self, adjudge: Command, server: ChatServer) -> None:
        adjudge("judges", "new", "mine")
        self.run(adjudge, server, "--judge", "mine.yaml", "--explain-in", "any")
        Path("mine.yaml").unlink()
        (row,) = adjudge("show", "--item", "a b", "--prompt", "--json").json
        sent = server.asked[0]["messages"]
        assert row["prompts"][0]["messages"] == sent

    def test_of_every_call_and_repeat(self, adjudge: Command, server: ChatServer) -> None:
        server.answer = lambda _: says("{}")
        rows = [{"id": "1", "source": "It rains.", "response": "It pours."}]
        adjudge.write("data.jsonl", rows)
        adjudge("run", "data.jsonl", "--judge", "gptscore", "-m", "openai/m", "--repeat", "2",
                "--base-url", server.base_url, "--quiet")  # fmt: skip
        first = [body["messages"] for body in server.asked if len(body["messages"]) <= 2]
        shown = adjudge("show", "--item", "1", "--prompt", "--json").json
        again = [prompt["messages"] for row in shown for prompt in row["prompts"]]
        assert len(again) == 18
        assert sorted(map(str, again)) == sorted(map(str, first))

    def test_cannot_steer_the_terminal(self, adjudge: Command, server: ChatServer) -> None:
        self.run(adjudge, server, "--judge", "helpfulness")
        shown = adjudge("show", "--item", "a b", "--prompt", "--reply").out
        assert not set("\x1b\x07\u202e\r") & set(shown)
        assert r"fine \x1b[2J\x07" in shown
        for message in server.asked[0]["messages"]:
            assert message["content"].split("\n")[0] in shown


def test_an_item_with_an_odd_id(adjudge: Command) -> None:
    adjudge.write("d.jsonl", [{"id": "x\x1b]0;hi\x07", "question": "q", "answer": "a"}])
    adjudge.write("r.jsonl", [{"item": "x\x1b]0;hi\x07", "replies": [reply(3)]}])
    adjudge("run", "d.jsonl", "--judge", "helpfulness", "-m", "replay:r.jsonl")
    assert "\x1b" not in adjudge("show", "--item", "x\x1b]0;hi\x07").out


class TestRuns:
    def test_are_listed(self, adjudge: Command, judged: str) -> None:
        shown = adjudge("runs").out.splitlines()
        assert shown[0].split() == [
            "run",
            "state",
            "started",
            "(UTC)",
            "rows",
            "judge",
            "model",
            "data",
            "cost",
            "tags",
        ]
        assert shown[2].split()[:2] == [judged, "finished"]

    def test_as_json(self, adjudge: Command, judged: str) -> None:
        (row,) = adjudge("runs", "--json").json
        assert (row["run"], row["state"], row["rows"]) == (judged, "finished", 3)
        assert list(row["judges"]) == ["helpfulness"]


class TestExport:
    def test_same_as_that_of_the_run(self, adjudge: Command, answers: list[str]) -> None:
        adjudge("run", *answers, "-o", "one.jsonl")
        ended = adjudge("export", "latest", "-o", "two.jsonl", "-o", "three.csv")
        assert ended.out == "written: two.jsonl\nwritten: three.csv\n"
        assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
