"""What docs/comparing.md says, run: its example to the letter, its commands and its Python."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from tests.commands import Command

PAGE = (Path(__file__).parents[2] / "docs/comparing.md").read_text("utf-8")
BLOCKS = [part.split("```")[0] for part in PAGE.split("```console\n")[1:]]
FIRST, TWO_MODELS, GATED = [
    shlex.split(line.removeprefix("$ adjudge "))
    for block in BLOCKS
    for line in block.splitlines()
    if line.startswith("$ adjudge ")
]
RATINGS = {"x.jsonl": "2314231243", "y.jsonl": "3324332143"}


@pytest.fixture
def two_runs(adjudge: Command) -> Command:
    """Forty items judged twice; one item of each run has no rating."""
    rows = [
        {"id": f"q{n}", "question": f"{n}?", "answer": "So.", "topic": ["even", "odd"][n % 2]}
        for n in range(40)
    ]
    adjudge.write("data.jsonl", rows)
    for missing, (file, ratings) in enumerate(RATINGS.items()):
        replies = [
            json.dumps({"evaluation": f"Rated by {file}.", "rating": int(ratings[n * 7 % 10])})
            for n in range(40)
        ]
        replies[missing] = "I cannot say."
        lines = [{"item": f"q{n}", "replies": [reply]} for n, reply in enumerate(replies)]
        adjudge.write(file, lines)
        run = ["run", "data.jsonl", "--judge", "helpfulness", "-m", f"replay:{file}", "--quiet"]
        assert adjudge(*run).code == 0
    return adjudge


def with_ids(command: Command, text: str) -> str:
    """The text with the ids that the runs have here: they change with every fingerprint."""
    for run in command("runs", "--json").json:
        first = "66ee6f31f8c5" if run["models"] == ["replay:x.jsonl"] else "167e6a440ad0"
        text = text.replace(first, run["run"]).replace(first[:4], run["run"])
    return text


def test_the_example_to_the_letter(two_runs: Command) -> None:
    ended = two_runs(*[with_ids(two_runs, word) for word in FIRST], "--movers", "0")
    assert (ended.code, ended.err) == (0, "")
    assert with_ids(two_runs, BLOCKS[0]).partition("\n")[2] in ended.out


def test_two_models_are_chosen_by_their_names(two_runs: Command) -> None:
    assert TWO_MODELS[:4] == ["compare", "latest", "latest", "--model-a"]
    ended = two_runs(*TWO_MODELS)
    assert ended.code == 2
    assert "openai/gpt-4o" in ended.err


def test_the_gates(two_runs: Command) -> None:
    gated = [with_ids(two_runs, word) for word in GATED]
    assert two_runs(*gated).code == 3  # 2 of 40 items have no pair: 5%
    assert two_runs(*gated[:-3], "unscored<=5%").code == 0


def test_the_python(two_runs: Command, capsys: pytest.CaptureFixture[str]) -> None:
    code = with_ids(two_runs, PAGE.split("```python\n")[1].split("```")[0])
    exec(compile(code, "comparing.md", "exec"), {})  # noqa: S102 - our own page
    assert float(capsys.readouterr().out) == pytest.approx(0.32, abs=0.01)
