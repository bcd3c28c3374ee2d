from __future__ import annotations

import pytest

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.scale import Value
from adjudge.core.score import Outcome
from adjudge.judges import registry
from adjudge.judges.load import load_text
from adjudge.reading import CriterionReading, apply_rules, unreported_rules

NO_FLAGS = {"serious_error": False, "missing_important": False, "generic": False}


def found(**values: Value) -> dict[str, CriterionReading]:
    return {n: CriterionReading(outcome=Outcome.SCORED, value=v, raw=v) for n, v in values.items()}


@pytest.fixture
def chatbot() -> Judge:
    return registry.get("chatbot")


@pytest.mark.parametrize(
    ("flag", "criterion", "cap", "rule"),
    [
        ("serious_error", "accuracy", 5.0, "serious-error"),
        ("missing_important", "completeness", 6.0, "missing-important"),
        ("generic", "completeness", 5.0, "generic"),
    ],
)
def test_each_cap_of_chatbot(
    chatbot: Judge, flag: str, criterion: str, cap: float, rule: str
) -> None:
    flags = NO_FLAGS | {flag: True}
    above = apply_rules(chatbot.rubric, found(**{criterion: 9.5}), flags)[criterion]
    assert (above.value, above.raw, above.rule, above.unit) == (cap, 9.5, rule, cap / 10)
    below = apply_rules(chatbot.rubric, found(**{criterion: cap - 1}), flags)[criterion]
    assert (below.value, below.raw, below.rule) == (cap - 1, cap - 1, None)
    without = apply_rules(chatbot.rubric, found(**{criterion: 9.5}), NO_FLAGS)[criterion]
    assert (without.value, without.rule) == (9.5, None)


def test_of_two_caps_the_lower_holds(chatbot: Judge) -> None:
    flags = NO_FLAGS | {"missing_important": True, "generic": True}
    score = apply_rules(chatbot.rubric, found(completeness=9.0), flags)["completeness"]
    assert (score.value, score.rule) == (5.0, "generic")


def test_other_criteria_are_left_alone(chatbot: Judge) -> None:
    flags = dict.fromkeys(NO_FLAGS, True)
    scores = apply_rules(chatbot.rubric, found(relevance=9.0, clarity=9.0, tone=9.0), flags)
    assert [score.value for score in scores.values()] == [9.0, 9.0, 9.0]


def test_a_flag_that_was_not_reported_cannot_pass_for_false(chatbot: Judge) -> None:
    score = apply_rules(chatbot.rubric, found(accuracy=9.0), {})["accuracy"]
    assert (score.outcome, score.value, score.raw) == (Outcome.UNREADABLE, None, 9.0)
    assert "serious_error" in (score.why or "")
    low = apply_rules(chatbot.rubric, found(accuracy=4.0), {})["accuracy"]
    assert (low.outcome, low.value) == (Outcome.SCORED, 4.0)


def test_unreported_names_only_flags_that_matter(chatbot: Judge) -> None:
    everything = tuple(chatbot.rubric.criteria)
    high = found(accuracy=9.0, completeness=5.5)
    assert [r.flag for r in unreported_rules(chatbot.rubric, everything, high, {})] == [
        "serious_error",
        "generic",
    ]
    assert not unreported_rules(chatbot.rubric, everything, high, NO_FLAGS)
    assert not unreported_rules(chatbot.rubric, ("tone",), found(tone=9.0), {})


def test_where_floor_and_cap_meet_the_cap_holds() -> None:
    judge = load_text(
        """
judge: bounds
version: 1
title: T
language: en
explain_in: any
inputs: {answer: {judged: true}}
criteria: {quality: {scale: {type: integer, min: 1, max: 10}}}
rules:
  - {id: brave, flag: quality.brave, when: w, floor: {quality: 7}}
  - {id: rude, flag: quality.rude, when: w, cap: {quality: 3}}
""",
        "bounds.yaml",
    )
    up = apply_rules(judge.rubric, found(quality=2), {"brave": True, "rude": False})["quality"]
    assert (up.value, up.raw, up.rule) == (7, 2, "brave")
    both = apply_rules(judge.rubric, found(quality=2), {"brave": True, "rude": True})["quality"]
    assert (both.value, both.rule) == (3, "rude")


def test_a_failure_stays_a_failure(chatbot: Judge) -> None:
    failed = {
        "accuracy": CriterionReading(outcome=Outcome.OUT_OF_RANGE, raw=12, why=Reason.of("off"))
    }
    score = apply_rules(chatbot.rubric, failed, NO_FLAGS | {"serious_error": True})["accuracy"]
    assert (score.outcome, score.value, score.raw) == (Outcome.OUT_OF_RANGE, None, 12)
