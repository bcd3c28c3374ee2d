from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.reading.asked import FIVE, judge_of

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.judges import registry
from adjudge.judges.load import wording_for
from adjudge.reading import CriterionReading, Reading, language_question, repair_question
from adjudge.reading.read import read


def test_the_question_shows_what_was_wrong_in_the_judges_language() -> None:
    judge = registry.get("chatbot")
    reading = Reading(
        scores={
            "tone": CriterionReading(outcome=Outcome.OUT_OF_RANGE, raw=12, why=Reason.of("off")),
            "clarity": CriterionReading(outcome=Outcome.UNREADABLE, why=Reason.of("no value")),
        }
    )
    missing = [rule for rule in judge.rubric.rules if rule.flag == "generic"]
    question = repair_question(judge, reading, missing)
    assert question is not None
    for part in ("tone", "12", "0.0", "10.0", "clarity", "generic", "Hãy trả lời lại"):
        assert part in question


def test_there_is_nothing_to_ask_after_a_refusal_or_a_complete_reply() -> None:
    judge = registry.get("helpfulness")
    for outcome in (Outcome.REFUSED, Outcome.TRUNCATED):
        reading = Reading(scores={"rating": CriterionReading(outcome=outcome, why=Reason.of("w"))})
        assert repair_question(judge, reading, []) is None
    good = Reading(scores={"rating": CriterionReading(outcome=Outcome.SCORED, value=3, raw=3)})
    assert repair_question(judge, good, []) is None


def asked_again(judge: Judge, text: str = "Hard to say.") -> str:
    reading = read(judge, tuple(judge.rubric.criteria), Reply(text=text))
    return repair_question(judge, reading, []) or ""


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Score: <a whole number from 1 to 5>"),
        ("ko", "점수: <1부터 5까지의 정수>"),
        ("vi", "Điểm: <số nguyên từ 1 đến 5>"),
    ],
)
def test_a_text_judge_shows_the_line_that_is_missing(language: str, line: str) -> None:
    judge = replace(judge_of(FIVE), wording=wording_for(language))
    assert asked_again(judge).splitlines()[-1] == line
    # The line, filled in, is what the reader reads.
    filled = line.partition("<")[0] + "4"
    assert read(judge, ("quality",), Reply(text=filled)).scores["quality"].value == 4


def test_a_value_off_the_scale_is_asked_for_by_its_line_too() -> None:
    assert asked_again(judge_of(FIVE), "Score: 9").endswith("\nScore: <a whole number from 1 to 5>")


def test_of_several_criteria_only_the_missing_ones_are_shown() -> None:
    judge = judge_of(FIVE, criteria=("tone", "facts"))
    question = asked_again(judge, "Tone: 4")
    assert "### facts\nScore: <a whole number from 1 to 5>" in question.lower().replace(
        "score", "Score"
    )
    assert "### tone" not in question.lower()
    # Nobody knows the headings of a prompt that is taken over as it is: the titles alone do.
    question = asked_again(replace(judge, verbatim=True), "Tone: 4")
    title = judge.rubric.criteria["facts"].title
    assert question.splitlines()[-1] == f"{title}: <a whole number from 1 to 5>"


def test_a_json_judge_is_not_asked_for_lines() -> None:
    assert "<" not in asked_again(judge_of(FIVE, form="json"))


def test_the_language_question_names_both_languages() -> None:
    question = language_question(registry.get("gptscore"), "en")
    assert "Korean" in question
    assert "English" in question
    unknown = language_question(registry.get("chatbot"), "xx")
    assert "tiếng Việt" in unknown
    assert "ngôn ngữ khác" in unknown
