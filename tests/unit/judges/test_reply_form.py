from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.judge import Judge
from adjudge.core.prompt import Profile
from adjudge.judges import registry, reply_form
from adjudge.judges.load import load_text

Load = Callable[..., Judge]


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("ask", ["each", "together"])
def test_the_words_and_the_schema_name_the_same_keys_in_the_same_order(name: str, ask: str) -> None:
    judge = replace(registry.get(name), ask=ask)  # type: ignore[arg-type]
    for criteria in judge.calls():
        schema = reply_form.schema(judge, criteria)
        sample = "{" + reply_form.words(judge, criteria).partition("\n{")[2]
        # <…> stands for a value: quoted for texts, bare for numbers and truth
        filled = json.loads(re.sub(r'(?<!")<[^>]*>(?!")', "0", sample))
        assert _shape_of_schema(schema) == _shape_of_value(filled)


def _shape_of_schema(schema: object) -> object:
    assert isinstance(schema, dict)
    if schema["type"] != "object":
        return schema["type"]
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
    return [(key, _shape_of_schema(each)) for key, each in schema["properties"].items()]


def _shape_of_value(value: object) -> object:
    if isinstance(value, dict):
        return [(key, _shape_of_value(each)) for key, each in value.items()]
    if isinstance(value, list):
        return "array"
    return "string" if isinstance(value, str) else _ANY


class _Any:
    """A bare <…> may stand for any of the kinds that are written without quotes."""

    def __eq__(self, other: object) -> bool:
        return other in {"integer", "number", "boolean"}

    def __hash__(self) -> int:
        return 0


_ANY = _Any()


def test_reasons_come_before_flags_and_flags_before_the_score() -> None:
    judge = registry.get("chatbot")
    schema = reply_form.schema(judge, tuple(judge.rubric.criteria))
    assert schema is not None
    accuracy = schema["properties"]["accuracy"]["properties"]  # type: ignore[index]
    assert list(accuracy) == ["explanation", "serious_error", "score"]


def test_one_criterion_stands_beside_its_explanation_and_below_the_sections() -> None:
    schema = reply_form.schema(registry.get("gptscore"), ("fluency",))
    assert schema is not None
    assert list(schema["properties"]) == ["explanation", "fluency"]  # type: ignore[call-overload]
    schema = reply_form.schema(registry.get("helpfulness"), ("rating",))
    assert schema is not None
    keys = ["evaluation", "strengths", "weaknesses", "analysis", "recommendations", "rating"]
    assert list(schema["properties"]) == keys  # type: ignore[call-overload]


def test_several_criteria_stand_before_the_sections(load: Load) -> None:
    more = "feedback:\n  tips: {}\nreply: json"
    judge = load(("rules:", "  tone: {scale: {type: binary}}\nrules:"), ("reply: text", more))
    schema = reply_form.schema(judge, ("politeness", "tone"))
    assert schema is not None
    assert schema["required"] == ["politeness", "tone", "tips"]


def test_a_text_reply_has_no_schema_and_ends_with_the_score(load: Load) -> None:
    judge = load()
    assert reply_form.schema(judge, ("politeness",)) is None
    rows = reply_form.words(judge, ("politeness",)).splitlines()
    assert rows[1].startswith("Explanation: <")
    assert rows[2:] == ["insult: <yes or no>", "Score: <a whole number from 1 to 5>"]


def test_a_text_reply_about_several_criteria_has_a_heading_each(load: Load) -> None:
    judge = load(("rules:", "  tone: {scale: {type: binary}, explain: false}\nrules:"))
    rows = reply_form.words(judge, ("politeness", "tone")).splitlines()
    assert [row for row in rows if row.startswith("#")] == ["### Politeness", "### Tone"]
    assert rows[-1] == "Score: <yes or no>"


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ("", "some short points"),
        (", least: 2", "2 short points"),
        (", most: 3", "3 short points"),
        (", least: 2, most: 2", "2 short points"),
        (", least: 2, most: 4", "2 to 4 short points"),
    ],
)
def test_the_count_of_a_list_is_said(load: Load, bounds: str, said: str) -> None:
    judge = load(("reply: text", f"feedback:\n  tips: {{list: true{bounds}}}"))
    assert f'"tips": ["<{said}, each written in English>"]' in reply_form.words(
        judge, ("politeness",)
    )


FIRST = """
judge: first
version: 1
title: Is it good?
language: en
explain_in: en
score_first: true
inputs:
  answer: {judged: true}
criteria:
  quality: {guide: How good it is, scale: {type: integer, min: 1, max: 5}}
feedback:
  strengths: {list: true}
rules:
  - {id: bad, flag: quality.bad, when: It is bad., cap: {quality: 2}}
"""


def test_the_score_can_be_asked_for_before_all_reasons() -> None:
    judge = load_text(FIRST, "first.yaml")
    schema = reply_form.schema(judge, ("quality",))
    assert schema is not None
    assert schema["required"] == ["quality", "explanation", "bad", "strengths"]
    lines = reply_form.words(replace(judge, reply="text"), ("quality",)).splitlines()
    assert lines[1].startswith("Score: ")
    assert lines[-2] == "### Strengths"


def test_the_order_is_part_of_a_judge_only_where_it_is_not_the_usual_one() -> None:
    first = load_text(FIRST, "first.yaml")
    usual = load_text(FIRST.replace("score_first: true\n", ""), "first.yaml")
    assert first.fingerprint != usual.fingerprint
    assert (
        usual.fingerprint
        == load_text(
            FIRST.replace("score_first: true", "score_first: false"), "first.yaml"
        ).fingerprint
    )


def test_flags_come_first_for_small_models() -> None:
    judge = registry.get("chatbot")
    names = tuple(judge.rubric.criteria)
    plain, small = (
        reply_form.schema(judge, names, profile) or {}
        for profile in (Profile(), Profile(flags_first=True))
    )
    assert keys_of(plain, "accuracy") == ["explanation", "serious_error", "score"]
    assert keys_of(small, "accuracy") == ["serious_error", "explanation", "score"]
    assert keys_of(small, "tone") == ["explanation", "score"]


def test_lists_of_bound_sentences_may_be_short() -> None:
    """Who must write whole sentences, and enough of them, invents some."""
    judge = registry.get("helpfulness")
    plain, bound = (
        reply_form.schema(judge, ("rating",), profile) or {}
        for profile in (Profile(), Profile(bind_language=True))
    )
    assert property_of(plain, "strengths")["minItems"] == 2
    assert "minItems" not in property_of(bound, "strengths")
    assert property_of(bound, "strengths")["maxItems"] == 3


def keys_of(schema: dict[str, Any], name: str) -> list[str]:
    return list(property_of(schema, name)["properties"])


def property_of(schema: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = schema["properties"][name]
    return found


def test_a_claim_is_due_for_every_sentence_of_a_short_text() -> None:
    asked = reply_form.schema(registry.get("faithfulness"), ("faithfulness",))
    assert asked is not None

    def due(text: str) -> int:
        raised = reply_form.claim_per_sentence(asked, text)
        assert raised is not None
        return int(raised["properties"]["claims"]["minItems"])  # type: ignore[index]

    assert [due("One."), due("One. Two! Three?"), due("So. " * 40)] == [1, 3, 6]
    assert reply_form.claim_per_sentence(None, "One.") is None
