"""A server on a bad day: a fifth of the requests fails, each in its own way; all rows come through.

Which request fails how goes by its number, so that each time is the same day. The rows are asked
again at their own pace, with the waits that a user would meet.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from aiohttp import web
from tests.commands import Command
from tests.servers import Answer, Body, ChatServer, after, fails, resets, says

ROWS = 400
GOOD = json.dumps(
    {
        "evaluation": "The answer is correct, and it names everything that was asked about.",
        "rating": 3,
    }
)


def sends(text: str) -> Answer:
    """What is no chat completion, though the status says so."""

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(text=text, content_type="application/json")

    return answer


# Of a hundred requests: 10 rate limits, 5 server errors, 5 malformed, 2 resets, 1 hang.
FAULTS: list[tuple[str, Answer]] = [
    *[("429", fails(429, Retry_After="0.05"))] * 7,
    *[("429", fails(429))] * 3,
    *[("500", fails(500)), ("500", fails(502, "<html>")), ("500", fails(503))],
    *[("500", fails(500))] * 2,
    ("malformed", sends("<html>bad gateway</html>")),
    ("malformed", sends('{"choices": [{"message": {"content": "{')),
    ("malformed", sends('{"choices": []}')),
    ("malformed", says("I would say it is good.")),
    ("malformed", says('{"evaluation": "It is", "rating"')),
    *[("reset", resets())] * 2,
    ("hang", after(30, says(GOOD))),
]


def bad_day(met: Counter[str]) -> Callable[[int], Answer]:
    """By the number of the request, 1 for the first; `met` counts what was dealt out."""
    day = [*FAULTS, *[("good", says(GOOD))] * (100 - len(FAULTS))]

    def answer(number: int) -> Answer:
        shuffled = list(day)
        random.Random(number // 100).shuffle(shuffled)  # noqa: S311 - the same each time
        kind, answer = shuffled[number % 100]
        met[kind] += 1
        return answer

    return answer


def test_every_row_comes_through(adjudge: Command, server: ChatServer) -> None:
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer {n}."} for n in range(ROWS)]
    adjudge.write("data.jsonl", rows)
    met: Counter[str] = Counter()
    deal = bad_day(met)
    server.answer = lambda _: deal(len(server.asked))
    command = ["run", "data.jsonl", "--judge", "helpfulness", "-m", "openai/m", "--base-url",
               server.base_url, "--timeout", "2", "-j", "16", "--explain-in", "any"]  # fmt: skip
    ended = adjudge(*command, "--json", "--no-progress", "-o", "out.jsonl")
    assert ended.code == 0
    kinds = {"429": 40, "500": 20, "malformed": 20, "reset": 8, "hang": 4}
    for kind, least in kinds.items():
        assert met[kind] >= least  # it was such a day
    written = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [row["item"] for row in written] == [f"r{n}" for n in range(ROWS)]
    assert all(row["outcome"] for row in written)
    assert ended.json["outcomes"]["scored"] >= 0.995 * ROWS
    assert {row["scores"]["rating"]["value"] for row in written} <= {3, None}
    # Nothing was asked more often than it failed: every answered request was the last of its row.
    assert len(server.asked) <= ROWS + sum(met[kind] for kind in kinds)


def test_a_day_that_gets_no_better(adjudge: Command, server: ChatServer) -> None:
    """Rows that meet nothing but faults get the name of the fault; the others are judged."""
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer {n}."} for n in range(12)]
    adjudge.write("data.jsonl", rows)

    def answer(body: Body) -> Answer:
        prompt = body["messages"][-1]["content"]
        if "answer 3." in prompt or len(body["messages"]) > 2:
            return says("I would rather not say.")
        return fails(400, "no") if "answer 5." in prompt else says(GOOD)

    server.answer = answer
    ended = adjudge("run", "data.jsonl", "--judge", "helpfulness", "-m", "openai/m", "--base-url",
                    server.base_url, "--json", "--no-progress")  # fmt: skip
    outcomes = ended.json["outcomes"]
    assert outcomes["scored"] == 10
    assert outcomes["provider_error"] == 1
    assert sum(outcomes.values()) == 12
