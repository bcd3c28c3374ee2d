"""Conversations judged by turn, traces checked by code: from the data to the row."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.servers import ChatServer, says

import adjudge as package
from adjudge import api
from adjudge.core.score import Outcome
from adjudge.errors import DataError, DefinitionError
from adjudge.judges.load import load_text

CHAT = """\
judge: turns
version: 1
title: Is the assistant polite?
language: en
explain_in: any
inputs:
  conversation: {type: conversation, judged: true, turns: each, columns: [messages]}
criteria:
  polite: {scale: {type: integer, min: 1, max: 5}}
  kind: {scale: {type: binary}}
"""
MESSAGES = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Yo"},
    {"role": "user", "content": "Bye"},
    {"role": "assistant", "content": "Goodbye, madam."},
]
TRACE = """\
judge: way
version: 1
title: Did it go the right way?
language: en
explain_in: any
inputs:
  trace: {type: trace, judged: true}
  expected: {type: trace, required: false}
criteria:
  strict: {trajectory: {match: strict}}
  unordered: {trajectory: {match: unordered}}
  subset: {trajectory: {match: subset}}
  superset: {trajectory: {match: superset}}
  names: {trajectory: {match: strict, arguments: false}}
  errors: {trajectory: {fact: errors, most: 0}}
  repeated: {scale: {type: number, min: 0, max: 10}, trajectory: {fact: repeated}}
  cost: {scale: {type: number, min: 0, max: 1}, trajectory: {fact: cost}}
"""
Running = Callable[..., Any]


@pytest.fixture
def run(server: ChatServer, tmp_path: Path) -> Running:
    def run(judge: str, rows: list[dict[str, Any]], call: Any = package.run, **more: Any) -> Any:
        (tmp_path / "judge.yaml").write_text(judge)
        (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        usual = {"model": "openai/m", "base_url": server.base_url, "store": str(tmp_path / "s.db")}
        return call(tmp_path / "data.jsonl", judge=str(tmp_path / "judge.yaml"), **(usual | more))

    return run


def answer(body: dict[str, Any]) -> Any:
    late = "[4]" in body["messages"][-1]["content"]
    group = {"explanation": "It is so.", "score": 5 if late else 2}
    return says(json.dumps({"polite": group, "kind": {"explanation": "Yes.", "score": late}}))


def test_every_turn_of_the_role_is_a_call_and_a_score(server: ChatServer, run: Running) -> None:
    server.answer = answer
    with closing(run(CHAT, [{"id": "c", "messages": MESSAGES}])) as done:
        assert len(server.asked) == 2
        first, second = (body["messages"][-1]["content"] for body in server.asked)
        assert "Judge turn [2] alone" in first
        assert "Goodbye" not in first
        assert "Judge turn [4] alone" in second
        (row,) = done.to_dicts()
        polite, kind = row["scores"]["polite"], row["scores"]["kind"]
        assert (polite["value"], kind["value"], row["outcome"]) == (3.5, False, "scored")
        assert [(t["turn"], t["role"], t["value"]) for t in polite["turns"]] == [
            (2, "assistant", 2),
            (4, "assistant", 5),
        ]
        assert polite["explanation"] == "[2] It is so.\n[4] It is so."
        assert [call.turn for call in next(done.verdicts()).calls] == [2, 4]
        assert done.reread().changed == 0


def test_a_turn_without_a_score_leaves_the_whole_without(server: ChatServer, run: Running) -> None:
    server.answer = lambda body: says("no") if "turn [2]" in json.dumps(body) else answer(body)
    with closing(run(CHAT, [{"id": "c", "messages": MESSAGES}])) as done:
        score = next(done.verdicts()).scores["polite"]
        assert (score.outcome, score.value) == (Outcome.UNREADABLE, None)
        assert score.reason
        assert (score.reason.code, score.reason.fields["turn"]) == ("turns.unscored", 2)
        assert [turn.score.value for turn in score.turns] == [None, 5]


def test_the_last_turn_and_the_whole(server: ChatServer, run: Running) -> None:
    server.answer = answer
    with closing(run(CHAT.replace("turns: each", "turns: last"), [{"messages": MESSAGES}])) as done:
        assert len(server.asked) == 1
        assert [t.turn for t in next(done.verdicts()).scores["polite"].turns] == [4]
    server.asked.clear()
    with closing(run(CHAT.replace(" turns: each,", ""), [{"messages": MESSAGES}])) as done:
        (body,) = server.asked
        assert "Judge turn" not in body["messages"][-1]["content"]
        assert not next(done.verdicts()).scores["polite"].turns


@pytest.mark.parametrize(
    "cell",
    [
        MESSAGES,
        {"messages": MESSAGES},
        json.dumps(MESSAGES),
        [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Yo"}],
        "User: Hi\nAssistant: Yo\nUser: Bye\nAssistant: Goodbye, madam.",
        "사용자: 안녕\n어시스턴트: 네",
        [
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "content": "ok"}]},
        ],
        [
            {"role": "user", "content": "Hi"},
            {"type": "function_call", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "output": "ok"},
        ],
    ],
)
def test_forms_of_conversations(server: ChatServer, run: Running, cell: object) -> None:
    server.answer = answer
    with closing(run(CHAT, [{"messages": cell}])) as done:
        assert next(done.verdicts()).scores["polite"].turns[0].turn == 2


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("just a text", "is not a conversation"),
        ([{"role": "user", "content": "Hi"}], "has no turn of 'assistant'"),
        ([{"a": 1}], "message 1 has no role"),
    ],
)
def test_rows_that_hold_none_are_named_before_anything_is_asked(
    server: ChatServer, run: Running, cell: object, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        run(CHAT, [{"messages": cell}])
    assert server.asked == []


def step(tool: str, **more: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": {}, "output": "ok", **more}


@pytest.mark.parametrize(
    ("made", "due", "passed"),
    [
        (["a", "b"], ["a", "b"], {"strict", "unordered", "subset", "superset", "names"}),
        (["b", "a"], ["a", "b"], {"unordered", "subset", "superset"}),
        (["a"], ["a", "b"], {"subset"}),
        (["a", "b", "b"], ["a", "b"], {"superset"}),
        (["a", "c"], ["a", "b"], set()),
    ],
)
def test_matches(
    server: ChatServer, run: Running, made: list[str], due: list[str], passed: set[str]
) -> None:
    row = {"trace": [step(name) for name in made], "expected": [step(name) for name in due]}
    with closing(run(TRACE, [row])) as done:
        scores = next(done.verdicts()).scores
        names = ("strict", "unordered", "subset", "superset", "names")
        assert {name for name in names if scores[name].value} == passed
        assert all(scores[name].outcome is Outcome.SCORED for name in names)
        assert server.asked == []
        assert scores["repeated"].value == len(made) - len(set(made))


def test_facts_and_arguments(server: ChatServer, run: Running) -> None:
    made = [step("a", arguments={"x": 1}, error="no", cost=0.25), step("a", arguments={"x": 1})]
    row = {"trace": made, "expected": [step("a", arguments={"x": 2}), step("a")]}
    with closing(run(TRACE, [row])) as done:
        scores = next(done.verdicts()).scores
        values = {
            name: scores[name].value for name in ("strict", "names", "errors", "repeated", "cost")
        }
        assert values == {
            "strict": False,
            "names": True,
            "errors": False,
            "repeated": 1.0,
            "cost": 0.25,
        }
    (part,) = run(TRACE, [row | {"id": "other"}], api.forecast).parts
    assert part.calls == 0


def test_what_is_off_the_scale_is_no_score(run: Running) -> None:
    row = {"trace": [step("a", cost=5)], "expected": [step("a")]}
    with closing(run(TRACE, [row])) as done:
        score = next(done.verdicts()).scores["cost"]
        assert (score.outcome, score.value, score.raw) == (Outcome.OUT_OF_RANGE, None, 5.0)


def test_a_trace_that_is_written_out_is_divided_by_its_marks(run: Running) -> None:
    text = (
        'Thought: look\nAction: search\nAction Input: {"q": 1}\nObservation: found\nFinal Answer: 3'
    )
    row = {"trace": text, "expected": [{"tool": "search", "arguments": {"q": 1}}]}
    with closing(run(TRACE, [row])) as done:
        assert next(done.verdicts()).scores["strict"].value is True


def test_steps_are_numbered_for_the_model(server: ChatServer, run: Running) -> None:
    judge = TRACE + "  sense: {scale: {type: integer, min: 1, max: 5}}\n"
    server.answer = lambda _: says('{"explanation": "So.", "sense": 4}')
    row = {"trace": [step("a"), step("b")], "expected": [step("a")]}
    with closing(run(judge, [row])) as done:
        (body,) = server.asked
        assert "[2]\n<<<trace_2 " in body["messages"][-1]["content"]
        verdict = next(done.verdicts())
        assert (verdict.scores["sense"].value, verdict.scores["subset"].value) == (4, False)
        assert list(verdict.scores) == list(load_text(judge, "j.yaml").rubric.criteria)
        assert done.reread().changed == 0


@pytest.mark.parametrize(
    ("judge", "old", "new", "said"),
    [
        (CHAT, "type: conversation, ", "", "is for a judged conversation"),
        (CHAT, "type: binary", "type: category, options: [a, b]", "options have no order"),
        (TRACE, "{match: strict}", "{match: strict, fact: errors}", "write either match"),
        (
            TRACE,
            "{match: strict}",
            "{match: strict, reference: other}",
            "not an input of the type trace",
        ),
        (TRACE, "  expected: {type: trace, required: false}\n", "", "compares two inputs"),
        (
            TRACE,
            "cost: {scale: {type: number, min: 0, max: 1}, ",
            "cost: {",
            "the fact is a number",
        ),
        (
            TRACE,
            "errors: {",
            "errors: {scale: {type: integer, min: 0, max: 3}, ",
            "passes or fails",
        ),
    ],
)
def test_what_cannot_be_is_said_when_the_file_is_loaded(
    judge: str, old: str, new: str, said: str
) -> None:
    assert old in judge
    with pytest.raises(DefinitionError) as caught:
        load_text(judge.replace(old, new, 1), "j.yaml")
    assert said in str(caught.value)
