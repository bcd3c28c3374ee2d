"""Rubrics as benchmarks have them, run from end to end: the sums are those of their rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import adjudge

HEAD: dict[str, Any] = {
    "judge": "bench",
    "version": 1,
    "title": "Is it good?",
    "language": "en",
    "explain_in": "any",
    "inputs": {
        "prompt": {"required": True},
        "reply": {"required": True, "judged": True},
    },
}
HEALTH = HEAD | {
    "criteria": {"score": {"rubric": {"from": "rubrics"}, "explain": False}},
    "overall": {"from": "weighted_mean", "pass": ">= 0.5"},
}
# Points per item, and which criteria are met.
ITEMS = [
    ("a", [5, 3, -4], [True, False, True]),
    ("b", [7, -8], [False, True]),
    ("c", [1, 2, 3], [True, True, True]),
    ("d", [10, -2, -3], [True, False, False]),
]
Model = Callable[[Sequence[dict[str, str]]], str]


def health_rows() -> list[dict[str, object]]:
    return [
        {
            "id": name,
            "prompt": f"question {name}",
            "reply": f"answer {name}",
            "rubrics": [
                {"criterion": f"{'meets' if met else 'misses'} {number}", "points": p, "tags": []}
                for number, (p, met) in enumerate(zip(points, truths, strict=True))
            ],
        }
        for name, points, truths in ITEMS
    ]


def grader(messages: Sequence[dict[str, str]]) -> str:
    """Answers by what the questions say."""
    asked = re.findall(r"^(\d+)\. (meets|misses)", messages[0]["content"], re.MULTILINE)
    return json.dumps({"score": {number: word == "meets" for number, word in asked}})


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "store.db")


def test_healthbench_points_give_the_sums_of_its_rule(store: str) -> None:
    """The points of what is met over the points above 0; an item may lie below 0."""
    run = adjudge.run(health_rows(), judge=HEALTH, model=grader, store=store)
    values = {row["item"]: row["scores"]["score"]["value"] for row in run.to_dicts()}  # type: ignore[index]
    for name, points, truths in ITEMS:
        met = sum(p for p, truth in zip(points, truths, strict=True) if truth)
        assert values[name] == pytest.approx(met / sum(p for p in points if p > 0))
    assert run.mean("score") == pytest.approx(sum(values.values()) / 4)
    assert run.mean("overall") == pytest.approx(sum(values.values()) / 4)
    passed = {row["item"]: row["overall"]["pass"] for row in run.to_dicts()}  # type: ignore[index]
    assert passed == {"a": False, "b": False, "c": True, "d": True}


def test_healthbench_rows_run_as_they_are_published(store: str) -> None:
    """The prompt is a list of messages, criteria and examples have tags; a clipped item is 0."""
    rows = [
        {**row, "prompt": [{"role": "user", "content": row["prompt"]}], "prompt_id": row["id"],
         "example_tags": ["theme:a" if row["id"] in "ab" else "theme:b", "category:x"],
         "ideal_completions_data": None}
        for row in health_rows()
    ]  # fmt: skip
    inputs = {"prompt": {"type": "conversation"}, "reply": {"judged": True}}
    clipped = {"score": {"rubric": {"from": "rubrics", "clip": True}, "explain": False}}
    judge = HEALTH | {"inputs": inputs, "criteria": clipped}
    run = adjudge.run(rows, judge=judge, model=grader, store=store)
    values = {row["item"]: row["scores"]["score"]["value"] for row in run.to_dicts()}  # type: ignore[index]
    assert values == pytest.approx({"a": 1 / 8, "b": 0, "c": 1, "d": 1})


def test_a_gate_can_be_on_what_passes(store: str) -> None:
    run = adjudge.run(
        health_rows(),
        judge=HEALTH,
        model=grader,
        store=store,
        gate=["overall.pass>=50%", "overall.pass.lower>=40%", "overall.mean>=0.2"],
    )
    found = [(result.gate.text, result.passed) for result in run.gates]
    assert found == [
        ("overall.pass>=50%", True),
        ("overall.pass.lower>=40%", False),
        ("overall.mean>=0.2", True),
    ]


def test_parts_are_rows_of_an_export(store: str, tmp_path: Path) -> None:
    run = adjudge.run(health_rows(), judge=HEALTH, model=grader, store=store)
    lines = run.export(tmp_path / "parts.jsonl", parts=True).read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == sum(len(points) for _, points, _ in ITEMS)
    assert rows[2] | {"run": "", "judge": "", "model": ""} == {
        "run": "",
        "judge": "",
        "model": "",
        "item": "a",
        "repeat": 0,
        "criterion": "score",
        "part": 3,
        "text": "meets 2",
        "answer": "yes",
        "met": True,
        "points": -4.0,
        "required": False,
    }


def test_reading_the_stored_replies_again_changes_nothing(store: str) -> None:
    run = adjudge.run(health_rows(), judge=HEALTH, model=grader, store=store)
    assert run.reread().changed == 0


WILD = HEAD | {
    "inputs": {
        "conversation": {"type": "conversation", "columns": ["conversation_input"]},
        "output": {"judged": True},
    },
    "criteria": {
        "score": {"scale": {"type": "integer", "min": 1, "max": 10}, "explain": False},
        "covers": {"checklist": {"from": "checklist"}, "explain": False},
    },
}


def test_wildbench_checklists_are_plain_texts_beside_a_score_of_1_to_10(store: str) -> None:
    """WB-Score is a linear map of the mean: (mean - 5) x 2."""
    said = [{"content": "p", "language": "English", "redacted": False, "role": "user"}]
    rows = [
        {"session_id": "x", "conversation_input": said, "output": text, "length": 9,
         "checklist": checks, "primary_tag": "Math", "secondary_tags": ["Editing"],
         "references": {"a-model": "q"}, "intent": "to know"}
        | {"id": number}
        for number, (text, checks) in enumerate(
            [("r", ["Is it right?", "Is it short?"]), ("s", ["Is it kind?"])]
        )
    ]  # fmt: skip

    def model(messages: Sequence[dict[str, str]]) -> str:
        short = "Is it short?" in messages[0]["content"]
        answers = {"1": True, "2": False} if short else {"1": True}
        return json.dumps({"score": {"score": 8 if short else 7}, "covers": {"answers": answers}})

    run = adjudge.run(rows, judge=WILD, model=model, store=store)
    assert ((run.mean("score") or 0) - 5) * 2 == pytest.approx(5)
    assert run.mean("covers") == pytest.approx(0.75)


def test_a_list_that_cannot_be_asked_is_refused_before_anything_is_spent(store: str) -> None:
    def model(messages: object) -> str:
        raise AssertionError(messages)

    rows = [{"id": "a", "prompt": "p", "reply": "r", "rubrics": [{"points": 3}]}]
    with pytest.raises(adjudge.AdjudgeError, match="question 1 has no text"):
        adjudge.run(rows, judge=HEALTH, model=model, store=store)


REQUIRED = HEAD | {
    "criteria": {
        "safe": {"scale": {"type": "binary"}, "required": True, "may_not_apply": True,
                 "explain": False},
        "good": {"scale": {"type": "integer", "min": 1, "max": 5}, "explain": False},
    },
    "overall": {"from": "weighted_mean", "over": ["good"], "pass": ">= 3"},
}  # fmt: skip


def test_void_and_not_applicable_are_counted_apart(store: str) -> None:
    said = {"yes": True, "no": False, "none": "n/a"}
    rows = [{"id": name, "prompt": name, "reply": "r"} for name in said]

    def model(messages: Sequence[dict[str, str]]) -> str:
        word = messages[-1]["content"].split()[1]
        return json.dumps({"safe": {"score": said[word]}, "good": {"score": 4}})

    gates = ["safe.unscored<=0%", "unscored<=0%", "overall.pass>=66%", "overall.mean>=4"]
    run = adjudge.run(rows, judge=REQUIRED, model=model, store=store, gate=gates)
    assert [result.passed for result in run.gates] == [True] * 4
    overall = {row["item"]: row["overall"] for row in run.to_dicts()}
    assert overall["yes"]["value"] == overall["none"]["value"] == 4  # type: ignore[index]
    assert (overall["no"]["outcome"], overall["no"]["value"]) == ("void", None)  # type: ignore[index]
    assert overall["no"]["pass"] is False  # type: ignore[index]
    summary = run.summary
    (safe,) = [part for part in summary.criteria.values() if part.criterion == "safe"]
    assert (summary.unscored, safe.items, safe.unscored_items) == (0, 2, 0)
    assert safe.tally.not_applicable == 1
    assert run.mean("safe") == 0.5
    labels = [{"item": name, "overall": 4, "safe": True} for name in said]
    found = adjudge.calibrate(run, labels=labels).criteria["safe"]
    assert (found.items, found.unscored) == (2, 0)
