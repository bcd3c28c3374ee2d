"""What docs/report.md says, run: its commands and its Python."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.commands import Command
from tests.unit.cli.conftest import reply

from adjudge.strings import strings_for

PAGE = (Path(__file__).parents[2] / "docs/report.md").read_text("utf-8")
*ALONE, TOGETHER = [
    shlex.split(line.removeprefix("$ adjudge "))
    for line in PAGE.splitlines()
    if line.startswith("$ adjudge ")
]


@pytest.fixture
def judged(adjudge: Command) -> Command:
    """Twelve rows, judged twice, and labels."""
    rows, people = [], "item,rating\n"
    for n in range(12):
        rows.append({"id": f"r{n}", "question": "Why?", "answer": "So.", "topic": n % 3})
        people += f"r{n},{n % 4 + 1}\n"
    adjudge.write("data.jsonl", rows)
    (adjudge.folder / "people.csv").write_text(people, "utf-8")
    for name, shift in (("a", 0), ("b", 1)):
        replies = [{"item": f"r{n}", "replies": [reply((n + shift) % 4 + 1)]} for n in range(12)]
        adjudge.write(f"{name}.jsonl", replies)
        run = ["run", "data.jsonl", "--judge", "helpfulness", "-m", f"replay:{name}.jsonl"]
        assert adjudge(*run, "--quiet").code == 0
    return adjudge


@pytest.mark.parametrize("command", ALONE, ids=" ".join)
def test_commands(judged: Command, command: list[str]) -> None:
    ended = judged(*command)
    assert (ended.code, ended.err) == (0, "")
    assert (judged.folder / "report.html").exists()


def test_the_command_for_two(judged: Command) -> None:
    first, second = (run["run"] for run in judged("runs", "--json").json)
    named = {"RUN": second, "RUN2": first}
    ended = judged(*(named.get(word, word) for word in TOGETHER))
    assert (ended.code, ended.err) == (0, "")


def test_the_sections_have_their_names() -> None:
    say = strings_for("en")
    first = ("judged", "outcomes", "scores", "rules", "costs", "cascade")
    for key in (*first, "people", "probes", "worst"):
        assert f"| {say(f'report.{key}.heading')} |" in PAGE


def test_the_example_has_the_words_of_the_program(judged: Command) -> None:
    judged("report", "latest", "-o", "report.md")
    head = next(line for line in PAGE.splitlines() if line.startswith("| Criterion | Mean"))
    assert head in (judged.folder / "report.md").read_text("utf-8")


def test_the_python(judged: Command) -> None:
    code = PAGE.split("```python\n")[1].split("```")[0]
    exec(compile(code, "report.md", "exec"), {})  # noqa: S102 - our own page
    assert (judged.folder / "report.md").read_text("utf-8").startswith("# helpfulness v1 trên")
