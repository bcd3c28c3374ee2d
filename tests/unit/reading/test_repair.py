from __future__ import annotations

from adjudge.core.score import Outcome
from adjudge.judges import registry
from adjudge.reading.found import Found, Reading
from adjudge.reading.repair import language_question, repair_question


def test_the_question_shows_what_was_wrong_in_the_judges_language() -> None:
    judge = registry.get("chatbot")
    reading = Reading(
        scores={
            "tone": Found(outcome=Outcome.OUT_OF_RANGE, given=12, why="12 lies outside"),
            "clarity": Found(outcome=Outcome.UNREADABLE, why="no value"),
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
        reading = Reading(scores={"rating": Found(outcome=outcome, why="w")})
        assert repair_question(judge, reading, []) is None
    good = Reading(scores={"rating": Found(outcome=Outcome.SCORED, value=3, given=3)})
    assert repair_question(judge, good, []) is None


def test_the_language_question_names_both_languages() -> None:
    question = language_question(registry.get("gptscore"), "en")
    assert "Korean" in question
    assert "English" in question
    unknown = language_question(registry.get("chatbot"), "xx")
    assert "tiếng Việt" in unknown
    assert "ngôn ngữ khác" in unknown
