"""Whoever judges, and wherever verdicts are kept: the verdicts and the figures are the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command
from tests.postgres import PostgresServer
from tests.servers import Answer, Body, ChatServer, says

pytestmark = pytest.mark.cluster

ROWS = 40
MODELS = ("openai/a", "openai/b", "replay:replies.jsonl")


def rating(model: str, row: int) -> int:
    return 1 + (row * (3 if model == "a" else 5) + row // 7) % 4


def reply(model: str, row: int) -> str:
    text = f"The answer has number {row}, and it names all that the person asked about."
    return json.dumps({"evaluation": text, "rating": rating(model, row)})


def answer(body: Body) -> Answer:
    match = re.search(r"answer number (\d+)\.", body["messages"][-1]["content"])
    assert match
    return says(reply(body["model"], int(match[1])))


@pytest.fixture
def data(adjudge: Command) -> Path:
    """Two files, replies to all of their rows, and what people said."""
    folder = adjudge.folder / "data"
    folder.mkdir()
    rows = [
        {
            "id": f"r{n}",
            "question": "?",
            "answer": f"answer number {n}.",
            "system": "xyz"[n % 3],
            "topic": n // 3,
        }
        for n in range(ROWS)
    ]
    for name, some in (("0.jsonl", rows[:25]), ("1.jsonl", rows[25:])):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in some), "utf-8")
    replies = ({"item": f"r{n}", "replies": [reply("c", n)]} for n in range(ROWS))
    lines = "".join(json.dumps(row) + "\n" for row in replies)
    (adjudge.folder / "replies.jsonl").write_text(lines, "utf-8")
    labels = "".join(f"r{n},{1 + n % 4}\n" for n in range(ROWS))
    (adjudge.folder / "people.csv").write_text(f"item,rating\n{labels}", "utf-8")
    return folder


class Judging:
    """The same run, made in one way or another, and all that it comes to."""

    def __init__(self, adjudge: Command, server: ChatServer) -> None:
        self._adjudge, self._server = adjudge, server
        server.answer = answer

    def run(self, store: str, *more: str) -> None:
        models = (part for model in MODELS for part in ("-m", model))
        url = ("--base-url", self._server.base_url)
        arguments = ("data/*.jsonl", "--judge", "helpfulness", *models, *url, "--store", store)
        ended = self._adjudge("run", *arguments, "--json", *more)
        assert ended.code == 0, ended.err
        assert ended.json["run"]  # and nothing else is on stdout

    def rows(self, store: str) -> list[dict[str, Any]]:
        """All that the verdicts say, but how long each took."""
        ended = self._adjudge(
            "export", "latest", "--with-inputs", "-o", "rows.jsonl", "--store", store
        )
        assert ended.code == 0, ended.err
        text = Path(self._adjudge.folder, "rows.jsonl").read_text("utf-8")
        rows = [json.loads(line) for line in text.splitlines()]
        return [row | {"latency_ms": None} for row in rows]

    def figures(self, store: str) -> list[Any]:
        between = ("--model-a", MODELS[0], "--model-b", MODELS[2])
        by = ("-m", MODELS[1])
        return [
            self._shown("calibrate", "latest", "--labels", "people.csv", *by, store=store),
            self._shown("compare", "latest", "latest", *between, store=store),
            self._shown(
                "rank", "latest", "--system", "system", "--group", "topic", *by, store=store
            ),
        ]

    def _shown(self, *arguments: str, store: str) -> Any:
        ended = self._adjudge(*arguments, "--json", "--store", store)
        assert ended.code == 0, ended.err
        return ended.json


@pytest.mark.slow
@pytest.mark.usefixtures("joined", "data")
def test_five_ways_to_the_same_verdicts_and_figures(
    adjudge: Command,
    server: ChatServer,
    postgres_server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    judging, new = Judging(adjudge, server), postgres_server.new_store
    on_ray = ("--engine", "ray", "--workers", "2")
    ways = {"sqlite": "alone.db", "postgres": new(), "shards": new(), "ray": new()}
    judging.run(ways["sqlite"])
    judging.run(ways["postgres"])
    for part in range(4):
        judging.run(ways["shards"], "--shard", f"{part + 1}/4")
    judging.run(ways["ray"], *on_ray)
    judging.run("parquet:files", *on_ray)
    ways["files"] = "added.db"
    assert adjudge("store", "add", "files", "--store", "added.db").code == 0

    rows = {way: judging.rows(store) for way, store in ways.items()}
    figures = {way: judging.figures(store) for way, store in ways.items()}
    assert len(rows["sqlite"]) == ROWS * len(MODELS)
    for way in ways:
        assert rows[way] == rows["sqlite"], way
        assert figures[way] == figures["sqlite"], way
    assert len(server.asked) == 5 * ROWS * 2  # no way asks anything twice
