from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.commands import Command
from tests.servers import ChatServer, fails, says

from .conftest import reply


def test_a_table_on_stdout_and_progress_on_stderr(adjudge: Command, answers: list[str]) -> None:
    ended = adjudge("run", *answers)
    assert ended.code == 0
    assert "rating     2       1         3.00  1.41  1 unreadable" in ended.out
    assert "3 verdicts: 2 scored, 1 unreadable" in ended.out
    last = ended.err.splitlines()[-1]
    for part in ("3/3", "/s", "left", "$0.0000", "tokens", "1 unscored"):
        assert part in last
    assert "\r" not in ended.err
    assert "\x1b" not in ended.out + ended.err


def test_json(adjudge: Command, answers: list[str]) -> None:
    ended = adjudge("run", *answers, "--json", "-o", "a.jsonl", "-o", "b.csv", "--tag", "who=me")
    shown = ended.json
    assert shown["outcomes"] == {"scored": 2, "unreadable": 1}
    assert (shown["means"], shown["unscored"]) == ({"rating": 3.0}, 1)
    assert shown["files"] == ["a.jsonl", "b.csv"]
    assert shown["usage"]["cost_usd"] == 0.0
    rows = [json.loads(line) for line in Path("a.jsonl").read_text().splitlines()]
    assert [row["item"] for row in rows] == ["r1", "r2", "r3"]
    assert {row["run"] for row in rows} == {shown["run"]}
    assert rows[2]["scores"]["rating"]["value"] is None
    with Path("b.csv").open(encoding="utf-8-sig", newline="") as file:
        flat = list(csv.DictReader(file))
    assert [row["scores.rating.value"] for row in flat] == ["4", "2", ""]
    assert adjudge("runs", "--json").json[0]["tags"] == {"who": "me"}


def without_notes(said: str) -> str:
    """What is said beside the note on replies that are found by item id."""
    return "".join(line for line in said.splitlines(True) if "by item id alone" not in line)


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "md", "html"])
def test_files(adjudge: Command, answers: list[str], ending: str) -> None:
    ended = adjudge("run", *answers, "--quiet", "-o", f"out.{ending}")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert "r1" in Path(f"out.{ending}").read_text("utf-8")


def test_no_progress(adjudge: Command, answers: list[str]) -> None:
    ended = adjudge("run", *answers, "--no-progress")
    assert without_notes(ended.err) == ""
    assert "3 verdicts" in ended.out


@pytest.mark.parametrize(
    ("most", "code"), [("50%", 0), ("0.34", 0), ("33%", 3), ("0", 3), ("0%", 3)]
)
def test_max_unscored(adjudge: Command, answers: list[str], most: str, code: int) -> None:
    ended = adjudge("run", *answers, "--max-unscored", most, "--json")
    assert ended.code == code
    assert ended.json["unscored"] == 1  # the result is there all the same
    assert ("1 of 3 verdicts (33.3%) are unscored" in ended.err) == (code == 3)


class TestAgain:
    def test_goes_on(self, adjudge: Command, answers: list[str]) -> None:
        first, second = (adjudge("run", *answers, "--json") for _ in range(2))
        assert first.json == second.json
        assert f"continuing run {first.json['run']}: 3 of 3 are done" in second.err

    def test_fresh(self, adjudge: Command, answers: list[str]) -> None:
        first, second = (adjudge("run", *answers, "--json", "--fresh").json for _ in range(2))
        assert first["run"] != second["run"]
        assert len(adjudge("runs", "--json").json) == 2


class TestBadRows:
    @pytest.fixture
    def broken(self, adjudge: Command, answers: list[str]) -> list[str]:
        with Path("data.jsonl").open("a") as file:
            file.write('{"id": "r4", "question": "no answer \\u001b[2J"}\n')
        return answers

    def test_stop(self, adjudge: Command, broken: list[str]) -> None:
        ended = adjudge("run", *broken)
        assert ended.code == 2
        assert "line 4" in ended.err
        assert "--skip-bad-rows" in ended.err

    def test_are_counted(self, adjudge: Command, broken: list[str]) -> None:
        ended = adjudge("run", *broken, "--skip-bad-rows")
        assert ended.code == 0
        assert "1 bad rows skipped" in ended.out
        assert "line 4" in ended.err
        assert "\x1b" not in ended.err


class TestEnvironment:
    @pytest.mark.parametrize(
        ("name", "value", "seen"),
        [
            ("ADJUDGE_STORE", "other.db", lambda shown: Path("other.db").exists()),
            ("ADJUDGE_JSON", "1", lambda shown: shown.json["rows"] == 3),
            ("ADJUDGE_LIMIT", "1", lambda shown: "1 verdicts" in shown.out),
            ("ADJUDGE_QUIET", "true", lambda shown: shown.out == shown.err == ""),
            ("ADJUDGE_NO_PROGRESS", "1", lambda shown: without_notes(shown.err) == ""),
            ("ADJUDGE_MAX_UNSCORED", "0", lambda shown: shown.code == 3),
            ("ADJUDGE_OUT", "x.csv 'y z.md'", lambda shown: Path("y z.md").exists()),
            ("ADJUDGE_MAP", "answer=id 'question=answer'", lambda shown: "(finished)" in shown.out),
            ("ADJUDGE_MAP", "answer=nope", lambda shown: shown.code == 2),
            ("ADJUDGE_TAG", "a=1 'b=2 3'", lambda shown: shown.code == 0),
            ("ADJUDGE_OUT", "'x.csv", lambda shown: shown.code == 2),
            ("ADJUDGE_REPEAT", "2", lambda shown: "3 provider_error" in shown.out),
        ],
    )
    def test_sets_a_default(
        self,
        adjudge: Command,
        answers: list[str],
        monkeypatch: pytest.MonkeyPatch,
        name: str,
        value: str,
        seen: object,
    ) -> None:
        monkeypatch.setenv(name, value)
        assert seen(adjudge("run", *answers))  # type: ignore[operator]

    def test_judges_and_models(
        self, adjudge: Command, answers: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ADJUDGE_JUDGE", "helpfulness")
        monkeypatch.setenv("ADJUDGE_MODEL", "replay:replies.jsonl")
        assert adjudge("run", "data.jsonl", "--json").json["unscored"] == 1

    def test_a_flag_goes_before_it(
        self, adjudge: Command, answers: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ADJUDGE_LIMIT", "1")
        assert adjudge("run", *answers, "-n", "2", "--json").json["rows"] == 2

    def test_how_it_is_asked(
        self, adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server.answer = lambda _: says(reply())
        for name, value in {
            "MODEL": "openai/m", "BASE_URL": server.base_url, "SEED": "5", "TEMPERATURE": "0.25",
            "MAX_TOKENS": "99", "TIMEOUT": "9", "EXPLAIN_IN": "any", "ASK": "each",
            "SET": "question=q 'answer=a b'", "JUDGE": "helpfulness",
        }.items():  # fmt: skip
            monkeypatch.setenv(f"ADJUDGE_{name}", value)
        assert adjudge("one").code == 0
        (body,) = server.asked
        assert (body["model"], body["seed"], body["temperature"]) == ("m", 5, 0.25)
        assert body["max_tokens"] == 99
        assert "a b" in server.prompts[0]


def test_every_flag_has_a_variable() -> None:
    """All but those that mean something else in another command."""
    import click

    from adjudge.cli.main import COMMANDS, cli

    for name in sorted(set(COMMANDS) - {"models", "judges", "init"}):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        for flag in command.params:
            if isinstance(flag, click.Option) and flag.name not in {"help", "help_all"}:
                long = next(opt for opt in flag.opts if opt.startswith("--"))
                assert flag.envvar == "ADJUDGE_" + long[2:].replace("-", "_").upper()


def test_spend_where_the_price_is_unknown(
    adjudge: Command, server: ChatServer, answers: list[str]
) -> None:
    server.answer = lambda _: says(reply())
    ended = adjudge("run", *answers[:3], "-m", "openai/m", "--base-url", server.base_url)
    assert "330 tokens, price unknown" in ended.err


@pytest.mark.parametrize(
    ("good", "said"),
    [
        (1, "3 verdicts have no answer. Most frequent cause (2 of 3): "),
        (0, "No answer came for any of 3 verdicts. Most frequent cause (2 of 3): "),
    ],
)
def test_the_commonest_cause(
    good: int, said: str, adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the first one, which is another."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    server.script = [fails(400, "odd"), fails(400, "common"), fails(400, "common")]
    server.answer = lambda _: says(reply(4))
    rows = [{"id": n, "question": "?", "answer": str(n)} for n in range(3 + good)]
    Path("some.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ("run", "some.jsonl", "--judge", "helpfulness", "-m", "openai/m", "-j", "1")
    ended = adjudge(*command, "--base-url", server.base_url)
    assert ended.code == (0 if good else 1)
    (told,) = [line for line in ended.err.splitlines() if said in line]
    assert "common" in told.partition(said)[2]
