from __future__ import annotations

import json

import pytest
from tests.servers import fails, says

from adjudge.judges import registry

from .conftest import ITEM, JUDGE, Api


@pytest.fixture
def api(shared: Api) -> Api:
    """One service for the whole file."""
    return shared


def test_judges_are_told_with_inputs_scales_and_fingerprint(api: Api) -> None:
    told = api.get("judges")
    assert [each["name"] for each in told["judges"]] == registry.names()  # one entry each
    assert told["models"] == ["openai/small", "openai/large"]
    helpful = next(each for each in told["judges"] if each["name"] == "helpfulness")
    assert helpful["fingerprint"] == registry.get("helpfulness").fingerprint
    assert [each["name"] for each in helpful["inputs"]] == ["question", "answer", "focus"]
    (rating,) = helpful["criteria"]
    assert rating["scale"]["levels"]["4"] == "excellent"


def test_each_scale_is_told_as_a_judge_file_writes_it(api: Api) -> None:
    kinds = {
        judge["name"]: judge["criteria"][0]["scale"]["type"]
        for judge in api.get("judges")["judges"]
    }
    assert kinds["chatbot"] == "number"
    assert kinds["gptscore"] == "integer"
    assert kinds["preference"] == "category"


def test_a_judge_in_full_comes_with_its_file(api: Api) -> None:
    told = api.get("judges/chatbot")
    assert told["definition"] == registry.source("chatbot")[1]
    assert api.problem("judges/none")["type"] == "urn:adjudge:problem:not-found"


def test_a_judge_is_listed_once_with_its_wordings(api: Api) -> None:
    listed = {each["name"]: each["wordings"] for each in api.get("judges")["judges"]}
    chatbot = {"vi": "chatbot", "en": "chatbot-en", "ko": "chatbot-ko"}
    assert list(listed["chatbot"].items()) == list(chatbot.items())
    assert listed["preference"] == {"en": "preference"}
    assert "chatbot-en" not in listed
    told = api.get("judges/chatbot-en")
    assert (told["language"], told["wordings"]) == ("en", chatbot)


def test_an_item_is_judged_at_once(api: Api) -> None:
    row = api.post("judge", {"judge": "helpfulness", "item": {"id": "a", **ITEM}})
    assert (row["run"], row["item"], row["outcome"]) == ("", "a", "scored")
    assert row["scores"]["rating"]["value"] == 3
    assert row["scores"]["rating"]["label"] == "helpful"
    assert row["model"] == "openai/small"
    assert row["usage"]["input_tokens"] == 100


def test_the_request_chooses_among_the_offered_models(api: Api) -> None:
    body = {"judge": "helpfulness", "item": ITEM, "model": "openai/large"}
    assert api.post("judge", body)["model"] == "openai/large"
    for other in ("openai/other", "replay:/etc/passwd", "embedded:/model.gguf", ""):
        problem = api.problem("judge", body | {"model": other}) if other else None
        assert problem is None or problem["status"] == 404
    assert len(api.model.asked) == 1


def test_options_reach_the_model_and_the_judge(api: Api) -> None:
    body = {"judge": "helpfulness", "item": ITEM, "temperature": 0.5, "max_tokens": 99, "seed": 7}
    api.post("judge", body)
    assert api.model.asked[0]["temperature"] == 0.5
    assert api.model.asked[0]["seed"] == 7
    row = api.post("judge", {"judge": "helpfulness", "item": ITEM, "explain_in": "ko"})
    assert row["scores"]["rating"]["explanation_outcome"] == "wrong_language"


def test_columns_are_understood_and_mapped(api: Api) -> None:
    named = {"user_question": "Q?", "system_answer": "A."}
    assert api.post("judge", {"judge": "helpfulness", "item": named})["outcome"] == "scored"
    mapped = {"judge": "helpfulness", "item": {"x": "Q?", "y": "A."}}
    mapped["map"] = {"question": "x", "answer": "y"}
    assert api.post("judge", mapped)["outcome"] == "scored"
    assert api.problem("judge", mapped | {"map": {}})["status"] == 422


def test_a_judge_may_come_along_as_text(api: Api) -> None:
    api.model.answer = lambda _: says('{"politeness": 5}')
    row = api.post("judge", {"judge": {"definition": JUDGE}, "item": {"answer": "Sir!"}})
    assert row["judge"] == "politeness"
    assert row["scores"]["politeness"]["value"] == 5


FORMS = """\
judge: forms
version: 1
title: Is it good?
language: en
explain_in: any
first: answer
inputs:
  question: {}
  contexts: {type: list, required: false}
  answer: {judged: true}
  trace: {type: trace, required: false}
  expected: {type: trace, required: false}
criteria:
  grounded: {scale: {type: integer, min: 1, max: 5}, evidence: {from: [contexts]}, explain: false}
  meets: {rubric: {from: rubrics}, explain: false}
  claims: {claims: {against: [contexts]}, explain: false}
  marked: {errors: {from: [answer]}, explain: false}
  tools: {trajectory: {match: strict}}
  polite: {scale: {type: binary}, may_not_apply: true, explain: false}
overall: {from: min, over: [meets, claims]}
nearest: 1
examples:
  - {item: {question: Old?, answer: Old.}, scores: {grounded: 2}}
"""


def test_every_form_of_a_criterion_can_be_sent(api: Api) -> None:
    spans = [
        {"name": "t", "start_time": "1", "attributes": {"openinference.span.kind": "TOOL"}},
    ]
    item = {
        "question": "How much?",
        "contexts": ["It is due in May.", {"text": "The fee is 5 euros."}],
        "answer": "It costs five euro.",
        "rubrics": [{"criterion": "Names it", "points": 5}, {"criterion": "Rude", "points": -2}],
        "trace": spans,
        "expected": [{"tool": "t"}],
    }
    said = {
        "grounded": {"quotes": ["fee is 5 euros"], "score": 4},
        "meets": {"answers": {"1": True, "2": True}},
        "claims": {"claims": [{"claim": "c", "verdict": "supported", "quote": "due in May",
                               "source": 1}]},
        "marked": {"errors": [{"span": "euro", "category": "grammar", "severity": "minor"}]},
        "polite": {"score": "n/a"},
    }  # fmt: skip
    api.model.answer = lambda _: says(json.dumps(said))
    row = api.post("judge", {"judge": {"definition": FORMS}, "item": item})
    values = {name: score["value"] for name, score in row["scores"].items()}
    assert values == {"grounded": 4, "meets": 0.6, "claims": 1, "marked": -1, "tools": True,
                      "polite": None}  # fmt: skip
    assert (row["outcome"], row["overall"]["value"]) == ("scored", 0.6)
    assert row["scores"]["grounded"]["evidence"][0]["source"] == 2
    assert row["scores"]["claims"]["parts"][0]["start"] == 6
    assert row["scores"]["marked"]["parts"] == [
        {"error": "grammar", "severity": "minor", "points": -1.0, "quote": "euro",
         "input": "answer", "start": 14, "end": 18, "source": None, "found": True}
    ]  # fmt: skip
    assert row["scores"]["polite"]["outcome"] == "not_applicable"
    assert len(api.model.asked) == 2  # its own answer first
    assert "Old?" in api.model.prompts[-1]


def test_a_conversation_is_judged_turn_by_turn(api: Api) -> None:
    definition = JUDGE.replace(
        "answer: {required: true, judged: true}",
        "chat: {type: conversation, judged: true, turns: each}",
    )
    api.model.script = [says('{"politeness": 5}'), says('{"politeness": 2}')]
    turns = ["Hello.", "Yes?", "Help.", "No."]
    chat = [
        {"role": role, "content": text}
        for role, text in zip(["user", "assistant"] * 2, turns, strict=True)
    ]
    row = api.post("judge", {"judge": {"definition": definition}, "item": {"chat": chat}})
    score = row["scores"]["politeness"]
    assert score["value"] == 3.5
    assert [(turn["turn"], turn["role"], turn["value"]) for turn in score["turns"]] == [
        (2, "assistant", 5),
        (4, "assistant", 2),
    ]


def test_what_is_wrong_with_a_judge_is_named_by_its_line(api: Api) -> None:
    wrong = JUDGE.replace("min: 1", "min: 9")
    problem = api.problem("judge", {"judge": {"definition": wrong}, "item": {"answer": "x"}})
    assert problem["type"] == "urn:adjudge:problem:bad-judge"
    assert problem["code"] == "judge.min_max"
    (error,) = problem["errors"]
    assert (error["line"], error["key"]) == (12, "criteria.politeness.scale")
    assert not api.model.asked


def test_a_file_is_never_read_for_a_request(api: Api) -> None:
    for name in ("/etc/passwd", "../judge.yaml", "judge.yaml"):
        assert api.problem("judge", {"judge": name, "item": ITEM})["status"] == 404
    for field in ({"base_url": "http://127.0.0.1:1"}, {"store": "x"}, {"timeout": 1}):
        problem = api.problem("judge", {"judge": "helpfulness", "item": ITEM, **field})
        assert problem["status"] == 422
        assert problem["errors"][0]["pointer"] == f"/{next(iter(field))}"


def test_a_failed_judgment_is_no_error_of_the_request(api: Api) -> None:
    api.model.answer = lambda _: says("I would rather talk about the weather.")
    row = api.post("judge", {"judge": "helpfulness", "item": ITEM})
    assert row["outcome"] == "unreadable"
    assert row["scores"]["rating"]["value"] is None


@pytest.mark.parametrize("status", [401, 404])
def test_what_every_item_would_meet_is_an_error(api: Api, status: int) -> None:
    api.model.answer = lambda _: fails(status)
    problem = api.problem("judge", {"judge": "helpfulness", "item": ITEM})
    assert problem["status"] == 502
    assert problem["type"] == "urn:adjudge:problem:provider-failed"


def test_missing_inputs_are_named(api: Api) -> None:
    problem = api.problem("judge", {"judge": "helpfulness", "item": {"question": "Q?"}})
    assert problem["type"] == "urn:adjudge:problem:bad-data"
    assert "'answer'" in problem["detail"]
