"""However a run is made and wherever it is kept: the same verdicts, and the same figures."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.commands import Command
from tests.postgres import PostgresServer

ROWS = 60
MADE_NEW = ("run", "latency_ms")


@pytest.fixture
def data(adjudge: Command) -> Command:
    """Ratings of answers, and pairs; what the model says of each is in a file."""
    chance = random.Random(0)  # noqa: S311 - data of a test
    rated, ratings, labels, pairs, winners = [], [], ["item,rating"], [], []
    for n in range(ROWS):
        rated.append({"id": f"r{n}", "question": f"{n}?", "answer": "Yes.", "topic": n % 5})
        rating = chance.randint(1, 4)
        text = {"evaluation": "The answer says what was asked.", "rating": rating}
        again = {**text, "rating": chance.randint(1, 4)}
        ratings.append({"item": f"r{n}", "replies": [json.dumps(text), json.dumps(again)]})
        labels.append(f"r{n},{min(4, rating + chance.randint(0, 1))}")
        names = {"model_a": "xyz"[n % 3], "model_b": "xyz"[(n + 1) % 3]}
        pairs.append({"id": f"p{n}", "question": f"{n}?", "answer_a": "A", "answer_b": "B"} | names)
        for order in ("ab", "ba"):
            said = json.dumps({"reasons": ["It is better."], "winner": chance.choice("ab")})
            winners.append({"item": f"p{n}", "order": order, "replies": [said]})
    for name, rows in {"rated": rated, "ratings": ratings, "pairs": pairs, "wins": winners}.items():
        adjudge.write(f"{name}.jsonl", rows)
    (adjudge.folder / "labels.csv").write_text("\n".join(labels))
    return adjudge


def in_one(adjudge: Command, store: str, *command: str) -> None:
    assert adjudge("run", *command, "--store", store, "--quiet", "-j", "7").code == 0


def in_parts(adjudge: Command, store: str, *command: str) -> None:
    """The later ones first, so that verdicts come in another order."""
    for part in (4, 2, 3, 1):
        in_one(adjudge, store, *command, "--shard", f"{part}/4")


def in_files(adjudge: Command, store: str, *command: str) -> None:
    for part in (3, 1, 2):
        in_one(adjudge, f"{store}-{part}", *command, "--shard", f"{part}/3")
        assert adjudge("store", "copy", f"{store}-{part}", store).code == 0


def figures(adjudge: Command, store: str) -> dict[str, Any]:
    """All that is said about the runs."""
    first, second, pairs = sorted(adjudge("runs", "--json", "--store", store).json, key=_order)
    runs = [run["run"] for run in (first, second, pairs)]
    assert {run["state"] for run in (first, second, pairs)} == {"finished"}
    asked = {
        "calibrate": ("calibrate", runs[0], "--labels", "labels.csv", "--group", "topic"),
        "compare": ("compare", runs[0], runs[1]),
        "rank": ("rank", runs[2]),
    }
    told = {name: adjudge(*line, "--json", "--store", store) for name, line in asked.items()}
    assert {ended.err for ended in told.values()} == {""}
    rows = []
    for run in runs:
        assert adjudge("export", run, "-o", "rows.jsonl", "--store", store).code == 0
        lines = (adjudge.folder / "rows.jsonl").read_text("utf-8").splitlines()
        rows += map(json.loads, lines)
    kept = [{name: row[name] for name in row if name not in MADE_NEW} for row in rows]
    return {"rows": kept} | {name: ended.json for name, ended in told.items()}


def _order(run: dict[str, Any]) -> tuple[str, int]:
    return run["judges"].get("preference", ""), len(run["tags"])


Make = Callable[..., None]


def test_the_same_verdicts_and_figures_everywhere(
    data: Command, postgres_server: PostgresServer
) -> None:
    ways: dict[str, tuple[str, Make]] = {
        "one process, SQLite": ("one.db", in_one),
        "one process, PostgreSQL": (postgres_server.new_store(), in_one),
        "four parts, PostgreSQL": (postgres_server.new_store(), in_parts),
        "three files, copied together": ("parts.db", in_files),
    }
    seen = {}
    for name, (store, make) in ways.items():
        rated = ("rated.jsonl", "--judge", "helpfulness", "-m", "replay:ratings.jsonl")
        make(data, store, *rated)
        make(data, store, *rated, "--repeat", "2", "--tag", "twice=yes")
        make(data, store, "pairs.jsonl", "--judge", "preference", "-m", "replay:wins.jsonl")
        seen[name] = figures(data, store)
    first = seen.pop("one process, SQLite")
    assert len(first["rows"]) == ROWS * 4
    assert first["calibrate"]["criteria"]["rating"]["overall"]["spearman"]["low"] is not None
    for name, one in seen.items():
        for what in first:
            assert one[what] == first[what], (name, what)
