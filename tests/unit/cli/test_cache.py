"""The reply cache: a request is paid for once, whichever run makes it, until the user says no."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.commands import Command
from tests.servers import Body, ChatServer, fails, says

CRITERIA = ("accuracy", "clarity", "depth", "ethics", "flow", "grammar", "humour", "insight", "joy")
ROWS = 3


def judge(**guides: str) -> str:
    """Nine criteria, each asked alone; `guides` changes the guide of some."""
    lines = [
        "judge: nine", "version: 1", "title: Nine", "language: en", "explain_in: any",
        "ask: each", "inputs:", "  answer: {judged: true}", "criteria:",
    ]  # fmt: skip
    for name in CRITERIA:
        guide = guides.get(name, f"How about its {name}?")
        scale = "{type: integer, min: 1, max: 5}"
        lines.append(f"  {name}: {{title: {name}, guide: '{guide}', scale: {scale}}}")
    lines += [
        "rules:", "  - id: fatal", "    flag: accuracy.fatal",
        "    when: The answer is dangerous.", "    cap: {accuracy: 2}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def criterion_of(body: Body) -> str:
    """Which criterion a request is about."""
    text = json.dumps(body["messages"])
    found = [name for name in CRITERIA if re.search(rf"(about|of) its {name}", text)]
    assert len(found) == 1, text
    return found[0]


@pytest.fixture
def command(adjudge: Command, server: ChatServer) -> list[str]:
    rows = [{"id": f"r{n}", "answer": f"answer {n}"} for n in range(ROWS)]
    adjudge.write("data.jsonl", rows)
    Path("nine.yaml").write_text(judge())

    def answer(body: Body) -> str:
        score = {"explanation": "So it is.", "score": 4, criterion_of(body): 4}
        return json.dumps(score | {"fatal": True, "accuracy.fatal": True})

    server.answer = lambda body: says(answer(body))
    return ["run", "data.jsonl", "--judge", "nine.yaml", "-m", "openai/m", "--json",
            "--base-url", server.base_url, "--no-progress"]  # fmt: skip


class TestAChangedJudge:
    def test_asks_only_what_changed(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        first = adjudge(*command).json
        assert first["outcomes"] == {"scored": ROWS}
        assert len(server.asked) == 9 * ROWS
        assert sorted(set(map(criterion_of, server.asked))) == sorted(CRITERIA)
        server.asked.clear()
        Path("nine.yaml").write_text(judge(flow="What of its flow?"))
        second = adjudge(*command).json
        assert [criterion_of(body) for body in server.asked] == ["flow"] * ROWS
        assert second["run"] != first["run"]
        assert second["outcomes"] == {"scored": ROWS}
        # Only these were paid for by this run.
        assert second["usage"]["input_tokens"] == 100 * ROWS

    def test_a_cap_asks_nothing(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """A rule's cap is no part of any prompt; the scores follow it all the same."""
        first = adjudge(*command).json
        server.asked.clear()
        Path("nine.yaml").write_text(judge().replace("{accuracy: 2}", "{accuracy: 1}"))
        second = adjudge(*command).json
        assert server.asked == []
        assert (first["means"]["accuracy"], second["means"]["accuracy"]) == (2.0, 1.0)
        assert second["usage"]["input_tokens"] == 0

    def test_more_rows(self, adjudge: Command, server: ChatServer, command: list[str]) -> None:
        adjudge(*command, "-n", "2")
        server.asked.clear()
        assert adjudge(*command).json["outcomes"] == {"scored": ROWS}
        assert len(server.asked) == 9

    @pytest.mark.parametrize("change", [["--temperature", "0.5"], ["--max-tokens", "99"]])
    def test_another_way_of_asking_is_another_request(
        self, adjudge: Command, server: ChatServer, command: list[str], change: list[str]
    ) -> None:
        adjudge(*command)
        server.asked.clear()
        adjudge(*command, *change)
        assert len(server.asked) == 9 * ROWS


class TestNoCache:
    def test_other_runs_do_not_serve(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        adjudge(*command, "-n", "2")
        server.asked.clear()
        adjudge(*command, "--no-cache")
        assert len(server.asked) == 9 * ROWS

    def test_its_own_calls_do(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """A row that is half done goes on with the calls that are missing."""
        usual = server.answer
        server.answer = lambda b: fails(401) if len(server.asked) > 5 else usual(b)
        stopped = adjudge(*command, "--no-cache", "-j", "1")
        assert stopped.code == 1
        assert 6 <= len(server.asked) <= 7  # five of the first row's nine calls were answered
        server.asked.clear()
        server.answer = usual
        ended = adjudge(*command, "--no-cache", "-j", "1").json
        assert len(server.asked) == 9 * ROWS - 5
        assert ended["outcomes"] == {"scored": ROWS}
        server.asked.clear()
        adjudge(*command, "--no-cache")
        assert server.asked == []

    def test_what_it_paid_for_serves_no_one_else(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        adjudge(*command, "--no-cache")
        server.asked.clear()
        adjudge(*command, "-n", "2")
        assert len(server.asked) == 9 * 2


class TestFresh:
    def test_asks_all_anew_each_time(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        runs = [adjudge(*command, *more).json["run"] for more in ([], ["--fresh"], ["--fresh"])]
        assert len(server.asked) == 3 * 9 * ROWS
        assert len(set(runs)) == 3


class TestInfo:
    def test_counts_by_model(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        adjudge(*command)
        adjudge(*command, "-m", "openai/n", "-n", "1")
        shown = adjudge("cache", "info", "--json").json
        assert shown["models"] == {"openai/m": 9 * ROWS, "openai/n": 9}
        assert shown["replies"] == 9 * ROWS + 9
        assert shown["bytes"] > shown["replies"] * 20
        text = adjudge("cache", "info").out
        assert text.startswith(f"{9 * ROWS + 9} replies, 0.0 MB, in .adjudge/adjudge.db")
        assert re.search(r"openai/n +9\n", text)

    def test_an_empty_one(self, adjudge: Command) -> None:
        from adjudge.stores import open_store

        open_store("empty.db").close()
        ended = adjudge("cache", "info", "--store", "empty.db")
        assert (ended.code, ended.out) == (0, "0 replies, 0.0 MB, in empty.db\n")
        shown = adjudge("cache", "info", "--store", "empty.db", "--json").json
        assert shown == {"replies": 0, "bytes": 0, "models": {}}


class TestClear:
    def test_everything_is_asked_again(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """By new runs; what was judged stays judged."""
        first = adjudge(*command).json
        server.asked.clear()
        ended = adjudge("cache", "clear")
        assert ended.out == f"{9 * ROWS} replies deleted; runs and verdicts have not changed\n"
        assert adjudge("cache", "info", "--json").json["replies"] == 0
        assert adjudge(*command).json["means"] == first["means"]
        assert server.asked == []
        adjudge(*command, "-n", "2")
        assert len(server.asked) == 9 * 2

    def test_json(self, adjudge: Command, command: list[str]) -> None:
        adjudge(*command)
        assert adjudge("cache", "clear", "--json").json == {"cleared": 9 * ROWS}
        assert adjudge("cache", "clear", "--json").json == {"cleared": 0}


@pytest.mark.parametrize("what", ["info", "clear"])
def test_no_store(adjudge: Command, what: str) -> None:
    """None is made for the sake of looking."""
    ended = adjudge("cache", what)
    assert ended.code == 1
    assert "there is no store here" in ended.err
    assert list(adjudge.folder.iterdir()) == []
