"""A fingerprint changes with everything that shapes a score, and with nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core import judge as judge_module
from adjudge.core.judge import Feedback, Judge, Pair, Preparation
from adjudge.core.rubric import Rubric, Rule
from adjudge.core.scale import Integer, Level, Number, Ordinal
from adjudge.judges import registry

CHATBOT = registry.get("chatbot")
HELPFULNESS = registry.get("helpfulness")


def with_criterion(judge: Judge, name: str, **changes: object) -> Judge:
    criteria = dict(judge.rubric.criteria)
    criteria[name] = replace(criteria[name], **changes)  # type: ignore[arg-type]
    return replace(judge, rubric=replace(judge.rubric, criteria=criteria))


def with_rule(judge: Judge, **changes: object) -> Judge:
    first, *others = judge.rubric.rules
    rules = (replace(first, **changes), *others)  # type: ignore[arg-type]
    return replace(judge, rubric=replace(judge.rubric, rules=rules))


ordinal = HELPFULNESS.rubric.criteria["rating"].scale
assert isinstance(ordinal, Ordinal)

CHANGES: dict[str, tuple[Judge, Judge]] = {
    "prompt": (CHATBOT, replace(CHATBOT, prompt=CHATBOT.prompt + ".")),
    "system": (CHATBOT, replace(CHATBOT, system=CHATBOT.system + ".")),
    "language": (CHATBOT, replace(CHATBOT, language="en")),
    "wording": (CHATBOT, replace(CHATBOT, wording=HELPFULNESS.wording)),
    "explain_in": (CHATBOT, replace(CHATBOT, explain_in="any")),
    "ask": (CHATBOT, replace(CHATBOT, ask="each")),
    "reply": (CHATBOT, replace(CHATBOT, reply="text")),
    "verbatim": (CHATBOT, replace(CHATBOT, verbatim=True)),
    "prepare": (CHATBOT, replace(CHATBOT, prepare=())),
    "what is prepared": (
        CHATBOT,
        replace(CHATBOT, prepare=(Preparation(input="question", do="agent_trace"),)),
    ),
    "feedback": (CHATBOT, replace(CHATBOT, feedback={"a": Feedback(name="a", title="A")})),
    "pair": (
        CHATBOT,
        replace(CHATBOT, pair=Pair(inputs=("question", "answer"), values=("a", "b"), tie="t")),
    ),
    "judged": (
        CHATBOT,
        replace(
            CHATBOT,
            inputs={**CHATBOT.inputs, "question": replace(CHATBOT.inputs["question"], judged=True)},
        ),
    ),
    "guide": (CHATBOT, with_criterion(CHATBOT, "tone", guide="x")),
    "criterion title": (CHATBOT, with_criterion(CHATBOT, "tone", title="x")),
    "steps": (CHATBOT, with_criterion(CHATBOT, "tone", steps=("x",))),
    "explain": (CHATBOT, with_criterion(CHATBOT, "tone", explain=False)),
    "scale": (CHATBOT, with_criterion(CHATBOT, "tone", scale=Number(0.0, 9.0))),
    "kind of scale": (
        with_criterion(CHATBOT, "tone", scale=Number(1, 5)),
        with_criterion(CHATBOT, "tone", scale=Integer(1, 5)),
    ),
    "label": (
        HELPFULNESS,
        with_criterion(
            HELPFULNESS, "rating", scale=Ordinal({**ordinal.levels, 1: Level("awful", "x")})
        ),
    ),
    "meaning": (
        HELPFULNESS,
        with_criterion(
            HELPFULNESS, "rating", scale=Ordinal({**ordinal.levels, 1: Level("terrible", "x")})
        ),
    ),
    "order of criteria": (
        CHATBOT,
        replace(
            CHATBOT,
            rubric=replace(
                CHATBOT.rubric, criteria=dict(reversed([*CHATBOT.rubric.criteria.items()]))
            ),
        ),
    ),
    "rules": (CHATBOT, replace(CHATBOT, rubric=Rubric(criteria=CHATBOT.rubric.criteria))),
    "cap": (CHATBOT, with_rule(CHATBOT, cap={"accuracy": 4.0})),
    "floor": (CHATBOT, with_rule(CHATBOT, floor={"accuracy": 1.0})),
    "when": (CHATBOT, with_rule(CHATBOT, when="x")),
    "flag": (CHATBOT, with_rule(CHATBOT, flag="x")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_shapes_a_score_changes_the_fingerprint(change: str) -> None:
    before, after = CHANGES[change]
    assert before.fingerprint != after.fingerprint


def test_the_reader_is_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = replace(CHATBOT).fingerprint
    monkeypatch.setattr(judge_module, "READER_VERSION", judge_module.READER_VERSION + 1)
    assert replace(CHATBOT).fingerprint != before


def test_a_title_that_no_prompt_shows_is_no_part_of_it() -> None:
    assert replace(CHATBOT, title="x").fingerprint == CHATBOT.fingerprint


def test_it_is_sixteen_hex_digits_and_stays_the_same() -> None:
    again = replace(CHATBOT)
    assert again is not CHATBOT
    assert again.fingerprint == CHATBOT.fingerprint
    assert len(CHATBOT.fingerprint) == 16
    int(CHATBOT.fingerprint, 16)


def test_calls_together_and_one_by_one() -> None:
    assert CHATBOT.calls() == (("relevance", "accuracy", "completeness", "clarity", "tone"),)
    assert replace(CHATBOT, ask="each").calls()[1] == ("accuracy",)


def test_the_flags_of_a_call_are_those_of_its_criteria() -> None:
    asked = CHATBOT.rubric.flags_of(("completeness", "tone"))
    assert [rule.flag for rule in asked] == ["missing_important", "generic"]
    assert all(isinstance(rule, Rule) for rule in asked)


def test_a_language_is_named_in_the_language_of_the_prompt() -> None:
    assert CHATBOT.wording.name_of("ko") == "tiếng Hàn"


def test_a_title_that_the_prompt_shows_is_part_of_it() -> None:
    asking = replace(CHATBOT, system="{{ judge_title }}")
    assert replace(asking, title="x").fingerprint != asking.fingerprint
