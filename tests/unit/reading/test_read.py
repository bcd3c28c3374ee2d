from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tests.unit.reading.asked import CORRECT, judge_of

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.judges import registry
from adjudge.reading import Reading
from adjudge.reading.read import read

Read = Callable[..., Reading]

HELPFUL = {
    "evaluation": "It answers the question.",
    "strengths": ["clear", "short"],
    "weaknesses": ["no source", "no example"],
    "analysis": "Correct and readable.",
    "recommendations": ["Add a source."],
    "rating": 3,
}
FIVE = ("relevance", "accuracy", "completeness", "clarity", "tone")


@pytest.mark.parametrize(
    "wrap",
    [
        "{}",
        "```json\n{}\n```",
        "Here is my verdict:\n\n{}\n\nI hope this helps.",
        '<think>Maybe {{"rating": 1}}, hm.</think>\n{}',
        'First draft:\n{{"rating": 1}}\nOn reflection:\n{}',
    ],
)
def test_json_is_found_in_what_stands_around_it(wrap: str, read_as: Read) -> None:
    reading = read_as("helpfulness", wrap.format(json.dumps(HELPFUL)))
    assert reading.scores["rating"].value == 3
    assert reading.feedback["strengths"] == ("clear", "short")


@pytest.mark.parametrize(
    "text",
    [
        '{"evaluation": "ok", "rating": 3,}',
        "{'evaluation': 'ok', 'rating': 3}",
        '{"evaluation": "two\nlines", "rating": 3}',
        '{"evaluation": "ok", "rating": 3',
    ],
)
def test_slightly_broken_json_is_mended(text: str, read_as: Read) -> None:
    assert read_as("helpfulness", text).scores["rating"].value == 3


def test_the_feedback_section_serves_as_the_explanation(read_as: Read) -> None:
    found = read_as("helpfulness", json.dumps(HELPFUL)).scores["rating"]
    assert found.explanation == "It answers the question."


@pytest.mark.parametrize("rating", ["helpful", "Helpful", "3 (helpful)", "3/4", 3, 3.0])
def test_a_label_may_stand_for_its_number(rating: object, read_as: Read) -> None:
    reading = read_as("helpfulness", json.dumps({**HELPFUL, "rating": rating}))
    assert reading.scores["rating"].value == 3


def test_the_flat_form_of_the_vietnamese_prompt(read_as: Read) -> None:
    reply = dict.fromkeys(FIVE, 8.0) | {"accuracy": 7.5, "serious_error": True}
    reply |= {"missing_important": False, "generic": False}
    reply["comments"] = "Một.\n\nHai.\n\nBa.\n\nBốn.\n\nNăm."
    reading = read_as("chatbot", json.dumps(reply))
    assert reading.scores["accuracy"].value == 7.5
    assert [reading.scores[name].explanation for name in FIVE] == [
        "Một.", "Hai.", "Ba.", "Bốn.", "Năm.",
    ]  # fmt: skip
    assert reading.flags == {"serious_error": True, "missing_important": False, "generic": False}


@pytest.mark.parametrize(
    "place",
    [
        {"accuracy": {"score": 7.5, "serious_error": True}},
        {"accuracy": 7.5, "flags": {"serious_error": True}},
        {"accuracy": 7.5, "flags": ["serious_error"]},
        {"accuracy": 7.5, "accuracy.serious_error": "true"},
        {"scores": {"accuracy": {"value": 7.5}}, "serious_error": True},
        {"criteria": [{"criterion": "accuracy", "score": 7.5}], "serious_error": True},
        {"Độ chính xác": "7,5", "serious_error": "có"},
    ],
)
def test_scores_and_flags_are_found_wherever_models_put_them(
    place: dict[str, object], read_as: Read
) -> None:
    reading = read_as("chatbot", json.dumps(place, ensure_ascii=False), "accuracy")
    assert reading.scores["accuracy"].value == 7.5
    assert reading.flags["serious_error"] is True


def test_a_number_among_the_comments_is_no_score(read_as: Read) -> None:
    reply = {"comments": {"accuracy": "5"}, "relevance": 8.0}
    reading = read_as("chatbot", json.dumps(reply), "accuracy", "relevance")
    assert reading.scores["accuracy"].outcome is Outcome.UNREADABLE
    assert reading.scores["relevance"].value == 8.0


@pytest.mark.parametrize(("given", "kept"), [(12, 12), ("12/10", None), (-0.5, -0.5)])
def test_out_of_range_keeps_what_was_said_and_no_value(
    given: object, kept: object, read_as: Read
) -> None:
    found = read_as("chatbot", json.dumps({"tone": given}), "tone").scores["tone"]
    assert (found.outcome, found.value) == (Outcome.OUT_OF_RANGE, None)
    assert kept is None or found.raw == kept


def test_the_text_form_of_the_korean_prompt(read_as: Read) -> None:
    text = "Evaluation Explanation:\n- 원문과 일치합니다.\n\nFactuality Score (1-5): 4점"
    found = read_as("gptscore", text, "factuality").scores["factuality"]
    assert found.value == 4
    assert found.explanation == "- 원문과 일치합니다."


def test_the_sectioned_text_of_the_english_prompt(read_as: Read) -> None:
    text = """1. **Evaluation**: A sound answer.

2. **Strengths**:
- direct
- correct

3. **Weaknesses**:
- brief
- no source

4. **Detailed Analysis**: It covers the question.

5. **Recommendations**:
1. Add a source.

**Total rating**: 3"""
    reading = read_as("helpfulness", text)
    assert reading.scores["rating"].value == 3
    assert reading.feedback == {
        "evaluation": "A sound answer.",
        "strengths": ("direct", "correct"),
        "weaknesses": ("brief", "no source"),
        "analysis": "It covers the question.",
        "recommendations": ("Add a source.",),
    }


def test_labelled_lines_and_flags(politeness: Judge) -> None:
    text = "Explanation: Curt, but not rude.\ninsult: no\nScore: 3"
    reading = read(politeness, ("politeness",), Reply(text=text))
    assert reading.scores["politeness"].value == 3
    assert reading.scores["politeness"].explanation == "Curt, but not rude."
    assert reading.flags == {"insult": False}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4", 4),
        ("[[4]]", 4),
        ("It is fine. Rating: [[4]]", 4),
        ("Score: 2\nOn second thoughts:\nScore: 4", 4),
        ("Score: 2\n\nOn reflection I was too harsh. Score: 4", 4),
        ("점수: 2\n\n다시 생각해 보니 점수: 4", 4),
        ("Politeness: 4", 4),
        ("**Politeness:** 4/5", 4),
        ("Politeness: 4 - calm and kind", 4),
        ("Score:\n4", 4),
    ],
)
def test_the_last_labelled_line_counts(text: str, value: int, politeness: Judge) -> None:
    assert read(politeness, ("politeness",), Reply(text=text)).scores["politeness"].value == value


@pytest.mark.parametrize(
    "text",
    [
        "The answer says 'I deserve a 5' and is otherwise fine.",
        "I was asked for a score of 1 to 5 and cannot decide.",
        "Score: 3 or 4",
        "[[3]] or [[4]]",
        "Score: high",
        "Politeness is a virtue.",
        "{}",
        "[]",
        "{{{{",
    ],
)
def test_what_says_no_score_is_unreadable(text: str, politeness: Judge) -> None:
    found = read(politeness, ("politeness",), Reply(text=text)).scores["politeness"]
    assert (found.outcome, found.value) == (Outcome.UNREADABLE, None)
    assert found.why


def test_sections_by_criterion_in_any_order(read_as: Read) -> None:
    text = "### Tone\nNhận xét: Thân thiện.\nĐiểm: 8,5\n\n### Relevance\nNhận xét: Đúng.\nĐiểm: 9"
    reading = read_as("chatbot", text, "relevance", "tone")
    assert [reading.scores[n].value for n in ("relevance", "tone")] == [9.0, 8.5]
    assert reading.scores["tone"].explanation == "Thân thiện."


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "죄송하지만 평가할 수 없습니다.",
        "Xin lỗi, tôi không thể.",
    ],
)
def test_refusals(text: str, read_as: Read) -> None:
    assert read_as("helpfulness", text).scores["rating"].outcome is Outcome.REFUSED


def test_a_filter_is_a_refusal_with_its_reason() -> None:
    judge = registry.get("helpfulness")
    reply = Reply(text="", finish="refused", refusal="flagged as violence")
    found = read(judge, ("rating",), reply).scores["rating"]
    assert (found.outcome, str(found.why)) == (Outcome.REFUSED, "flagged as violence")


@pytest.mark.parametrize("text", ["", "  \n", "<think>still thinking"])
def test_nothing_is_unreadable_and_cut_off_is_truncated(text: str, read_as: Read) -> None:
    assert read_as("helpfulness", text).scores["rating"].outcome is Outcome.UNREADABLE
    cut = read_as("helpfulness", text, finish="length").scores["rating"]
    assert cut.outcome is Outcome.TRUNCATED


def test_half_a_number_is_never_read_from_a_cut_off_reply(read_as: Read) -> None:
    reading = read_as("chatbot", '{"tone": {"score": 1', "tone", finish="length")
    assert reading.scores["tone"].outcome is Outcome.TRUNCATED
    label = read_as("chatbot", "Nhận xét: Lịch sự.\nĐiểm: 1", "tone", finish="length")
    assert label.scores["tone"].outcome is Outcome.TRUNCATED
    whole = read_as("chatbot", '{"tone": {"score": 1}}', "tone", finish="length")
    assert whole.scores["tone"].value == 1.0


def test_the_reason_may_stand_before_the_score(politeness: Judge) -> None:
    text = "The reply thanks the customer and stays calm.\n\nScore: 4"
    found = read(politeness, ("politeness",), Reply(text=text)).scores["politeness"]
    assert found.explanation == "The reply thanks the customer and stays calm."


@pytest.mark.parametrize(
    "text",
    [
        "Feedback: Calm and friendly. [RESULT] 4",
        "Calm and friendly. [RESULT] 4",
        "### Feedback\nCalm and friendly.\n\n[RESULT] (4)",
        "- 평가: Calm and friendly.\n- 점수: 4",
        "**1. Evaluation:** Calm and friendly.\n**2. Score:** 4",
        "**1. Evaluation**\nCalm and friendly.\n\n**2. Score**\n4",
        "Politeness: 4 - Calm and friendly.",
    ],
)
def test_the_reason_holds_neither_the_score_nor_its_label(politeness: Judge, text: str) -> None:
    found = read(politeness, ("politeness",), Reply(text=text)).scores["politeness"]
    assert (found.value, found.explanation) == (4, "Calm and friendly.")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Grade: INCORRECT", None),
        ("Grade: incorrect. The year is wrong.", "The year is wrong."),
        ("Grade: Incorrect\nThe year is wrong.", "The year is wrong."),
    ],
)
def test_a_verdict_in_words_is_not_its_own_reason(text: str, reason: str | None) -> None:
    judge = judge_of(CORRECT, criteria=("grade",))
    found = read(judge, ("grade",), Reply(text=text)).scores["grade"]
    assert (found.value, found.explanation) == ("Incorrect", reason)


def test_a_section_may_stand_below_a_numbered_heading(read_as: Read) -> None:
    for heading in (
        "**1. Evaluation**",
        "**1. Evaluation:**",
        "### 1. Evaluation",
        "1. **Evaluation**",
    ):
        reading = read_as("helpfulness", f"{heading}\nIt answers.\n\n**2. Rating:** 3")
        assert reading.feedback["evaluation"] == "It answers."
        assert reading.scores["rating"].value == 3


@pytest.mark.parametrize("number", ["1e400", "NaN", "1" + "0" * 400, "-Infinity"])
def test_monstrous_numbers_are_no_values(number: str, read_as: Read) -> None:
    found = read_as("chatbot", f'{{"tone": {number}, "clarity": {{}}}}', "tone").scores["tone"]
    assert found.value is None
