from __future__ import annotations

import json
from typing import Any

import pytest
from tests.commands import Command

GOOD = "The answer is correct, and it names everything that the person asked about."


def reply(rating: Any = 3, **more: Any) -> str:
    """A whole reply of the judge `helpfulness`."""
    return json.dumps(
        {
            "evaluation": GOOD,
            "strengths": ["It is short and clear.", "It names the temperature."],
            "weaknesses": ["It gives no reason for it.", "It says nothing of the cost."],
            "analysis": GOOD,
            "recommendations": ["Say what happens when it is too late."],
            "rating": rating,
        }
        | more,
        ensure_ascii=False,
    )


@pytest.fixture
def answers(adjudge: Command) -> list[str]:
    """The arguments that judge three recorded rows: two are scored, one is unreadable."""
    rows = [
        {"id": f"r{n}", "question": f"Question {n}?", "answer": f"Answer {n}"} for n in (1, 2, 3)
    ]
    adjudge.write("data.jsonl", rows)
    replies = {"r1": reply(4), "r2": reply(2), "r3": "I would rather not."}
    adjudge.write("replies.jsonl", [{"item": k, "replies": [v]} for k, v in replies.items()])
    return ["data.jsonl", "--judge", "helpfulness", "-m", "replay:replies.jsonl"]
