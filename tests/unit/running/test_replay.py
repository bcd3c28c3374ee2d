"""Recorded replies: they are read, and never asked a second question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import adjudge as package
from adjudge.core.score import Outcome


@pytest.fixture
def replayed(tmp_path: Path) -> Any:
    """The verdict of a judge on one item whose replies are given."""

    def replayed(judge: str, item: dict[str, str], rows: list[dict[str, Any]], **more: Any) -> Any:
        replies = tmp_path / "replies.jsonl"
        replies.write_text("".join(json.dumps({"item": "1"} | row) + "\n" for row in rows))
        return package.judge(
            judge, {"id": "1"} | item, model=f"replay:{replies}", store=str(tmp_path / "x"), **more
        )

    return replayed


ANSWER = {"question": "How long?", "answer": "Two minutes."}
GERMAN = "Die Antwort ist richtig, und sie ist angenehm kurz gehalten, was ich sehr schätze."


@pytest.mark.parametrize("reply", ["I have no idea.", '{"rating": 9}'])
def test_no_repair(replayed: Any, reply: str) -> None:
    verdict = replayed("helpfulness", ANSWER, [{"replies": [reply, '{"rating": 3}']}])
    assert verdict.outcome in {Outcome.UNREADABLE, Outcome.OUT_OF_RANGE}
    assert verdict.calls[0].replies == (reply,)
    assert verdict.attempts == 1


def test_no_question_for_the_language(replayed: Any) -> None:
    reply = json.dumps({"rating": 3, "evaluation": GERMAN})
    verdict = replayed("helpfulness", ANSWER, [{"replies": [reply, '{"rating": 1}']}])
    score = verdict.scores["rating"]
    assert (score.value, score.explanation_outcome) == (3, Outcome.WRONG_LANGUAGE)
    assert verdict.attempts == 1


def test_orders_of_a_pair(replayed: Any) -> None:
    rows = [{"order": order, "replies": [json.dumps({"winner": name})]} for order, name in
            (("ab", "a"), ("ba", "b"))]  # fmt: skip
    pair = {"question": "?", "answer_a": "yes", "answer_b": "no"}
    assert replayed("preference", pair, rows).scores["winner"].value == "a"


def test_caps_of_chatbot(replayed: Any) -> None:
    groups: dict[str, dict[str, Any]] = {
        name: {"score": 8.0}
        for name in ("relevance", "accuracy", "completeness", "clarity", "tone")
    }
    groups["accuracy"]["serious_error"] = True
    groups["completeness"] |= {"missing_important": True, "generic": False}
    item = {"Question": "?", "True Answer": "!", "Agent Answer": "Final Answer: !"}
    verdict = replayed("chatbot", item, [{"replies": [json.dumps(groups)]}])
    values = {name: (score.value, score.raw, score.rule) for name, score in verdict.scores.items()}
    assert values["accuracy"] == (5.0, 8.0, "serious-error")
    assert values["completeness"] == (6.0, 8.0, "missing-important")
    assert values["tone"] == (8.0, 8.0, None)


def test_a_missing_reply_is_no_score(replayed: Any) -> None:
    verdict = replayed("helpfulness", ANSWER, [{"item": "other", "replies": ["4"]}])
    assert verdict.scores["rating"].outcome is Outcome.PROVIDER_ERROR
    assert verdict.scores["rating"].value is None
