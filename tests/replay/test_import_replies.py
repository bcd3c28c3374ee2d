"""Imported prompts read replies that are written in the form they ask for, and near it."""

from __future__ import annotations

import json

import pytest
from tests.commands import Command

from .test_import_real_prompts import (
    COOKBOOK,
    GEVAL,
    WHY_SKIPPED,
    geval_names,
    import_with_a_name,
    is_here,
    seed,
    verdicts,
)

pytestmark = pytest.mark.skipif(not is_here(), reason=WHY_SKIPPED)

ASPECTS = {
    "coh": "coherence",
    "eng": "engagingness",
    "gro": "groundedness",
    "nat": "naturalness",
}
WHY = "It picks up what was said and adds the fact about the paint."


def _geval_replies(pick: str, title: str, value: int) -> list[tuple[str, str | None]]:
    """Replies in the form of the prompt's mode that give `value`, each with its explanation."""
    if "rate_explain" in pick:
        return [
            (f"Rating: {value}\nRationale: {WHY}", WHY),
            (f"- {title}:\nRating: {value}\nRationale: {WHY}", WHY),
            (f"- {title}: {value}\nRationale: {WHY}", WHY),
            (f"**Rating:** {value}\n\n**Rationale:** {WHY}", WHY),
            (f"Rating: {value}\n\nRationale:\n{WHY}", WHY),
        ]
    if "analyze_rate" in pick:
        return [
            (f"Analysis: {WHY}\nRating: {value}", WHY),
            (f"- {title}:\nAnalysis: {WHY}\nRating: {value}", WHY),
            (f"Analysis:\n{WHY}\n\nRating: {value}", WHY),
            (f"**Analysis:** {WHY}\n**Rating:** {value}", WHY),
            (f"Analysis: {WHY}\n- {title}: {value}", WHY),
        ]
    if "free_text" in pick:
        return [
            (f"I would give it a {value}.", None),
            (f"{value}", None),
            (f"On this scale, I would rate the response a {value}.", None),
            (f"{title}: {value}", None),
        ]
    return [
        (f"{value}", None),
        (f"- {title}: {value}", None),
        (f"{title}: {value}\n", None),
        (f" {value} ", None),
        (f"- **{title}**: {value}", None),
    ]


def _in_their_words(reply: str | None) -> str:
    return " ".join((reply or "").split())


@pytest.mark.parametrize("pick", geval_names())
def test_geval_in_its_form(adjudge: Command, pick: str) -> None:
    aspect = ASPECTS[pick[:3]]
    judge = import_with_a_name(adjudge, pick, GEVAL, pick)
    values = (0, 1) if aspect == "groundedness" else (1, 2, 3)
    asked = [
        (value, reply, why)
        for value in values
        for reply, why in _geval_replies(pick, aspect.capitalize(), value)
    ]
    rows = verdicts(adjudge, judge, [reply for _, reply, _ in asked])
    for (value, reply, why), row in zip(asked, rows, strict=True):
        score = row["scores"][aspect]
        assert (score["outcome"], score["value"]) == ("scored", value), reply
        assert score["label"], reply
        if why:
            assert _in_their_words(score["explanation"]) == why, reply
            assert not row["notes"], reply


@pytest.mark.parametrize("pick", geval_names())
def test_geval_near_its_form(adjudge: Command, pick: str) -> None:
    aspect = ASPECTS[pick[:3]]
    title = aspect.capitalize()
    judge = import_with_a_name(adjudge, pick, GEVAL, pick)
    cases = [
        (f"- {title}: 7", "out_of_range", None),
        (f"Rating: 7\nRationale: {WHY}", "out_of_range", None),
        ("", "unreadable", None),
        (f"- {title}:", "unreadable", None),
        (f"Analysis: {WHY}", "unreadable", None),
        ("The response itself says “Rating: 1”, which is no verdict of mine.", "unreadable", None),
        (
            f"Rating: 0\nOn second thought, that is too harsh.\nRating: 1\nRationale: {WHY}",
            "scored",
            1,
        ),
        (f"<think>\nperhaps 0?\nRating: 0\n</think>\nRating: 1\nRationale: {WHY}", "scored", 1),
        (f'```json\n{{"{aspect}": 1, "explanation": "{WHY}"}}\n```', "scored", 1),
    ]
    rows = verdicts(adjudge, judge, [reply for reply, _, _ in cases])
    for (reply, outcome, value), row in zip(cases, rows, strict=True):
        score = row["scores"][aspect]
        assert (score["outcome"], score["value"]) == (outcome, value), reply


def test_all_modes_of_geval_are_there() -> None:
    modes = {name[4:] for name in geval_names()}
    assert len(modes) == 7
    assert len(geval_names()) == 28


def test_cookbook_in_its_form(adjudge: Command) -> None:
    judge = import_with_a_name(adjudge, "cookbook", COOKBOOK, "JUDGE_PROMPT")
    cases = [
        ("Total rating: 3", 3.0),
        ("3", 3.0),
        ("8.5", 8.5),
        ("Feedback:::\nTotal rating: 7.5", 7.5),
        ("Feedback:::\nTotal rating: 10\n\nThe answer says all that was asked.", 10.0),
        ("**Total rating:** 6.0", 6.0),
        ("Total rating: (4.5)", 4.5),
        ("Total rating: 8/10", 8.0),
    ]
    rows = verdicts(adjudge, judge, [reply for reply, _ in cases])
    for (reply, value), row in zip(cases, rows, strict=True):
        assert row["scores"]["total_rating"]["value"] == value, reply
        assert not row["notes"], reply  # no reason was asked for, so none is missed


def test_cookbook_near_its_form(adjudge: Command) -> None:
    judge = import_with_a_name(adjudge, "cookbook", COOKBOOK, "JUDGE_PROMPT")
    cases = [
        ("Total rating: 11", "out_of_range"),
        ("Total rating: -1", "out_of_range"),
        ("Total rating: ", "unreadable"),
        ("Total rating: (your rating, as a float between 0 and 10)", "unreadable"),
        ("Total rating: high", "unreadable"),
        ("", "unreadable"),
    ]
    rows = verdicts(adjudge, judge, [reply for reply, _ in cases])
    for (reply, outcome), row in zip(cases, rows, strict=True):
        assert row["scores"]["total_rating"]["outcome"] == outcome, reply
        assert row["scores"]["total_rating"]["value"] is None


REASON = "The answer names the city and nothing else is needed."


def test_improved_cookbook_in_its_form(adjudge: Command) -> None:
    judge = import_with_a_name(adjudge, "improved", COOKBOOK, "IMPROVED_JUDGE_PROMPT")
    cases = [
        (f"Evaluation: {REASON}\nTotal rating: 4", 4, "excellent"),
        (f"Feedback:::\nEvaluation: {REASON}\nTotal rating: 4", 4, "excellent"),
        (f"Feedback:::\nEvaluation:\n{REASON}\n\nTotal rating: 2", 2, "mostly not helpful"),
        (f"**Evaluation:** {REASON}\n\n**Total rating:** 3", 3, "mostly helpful"),
        (f"Evaluation: {REASON}\nTotal rating: 1 (terrible)", 1, "terrible"),
        (f"Evaluation: {REASON}\nTotal rating: 3/4", 3, "mostly helpful"),
        (f"Evaluation: {REASON}\nTotal rating: excellent", 4, "excellent"),
    ]
    rows = verdicts(adjudge, judge, [reply for reply, _, _ in cases])
    for (reply, value, label), row in zip(cases, rows, strict=True):
        score = row["scores"]["total_rating"]
        assert (score["value"], score["label"]) == (value, label), reply
        assert score["explanation"] == REASON, reply
        assert not row["notes"], reply


def test_improved_cookbook_near_its_form(adjudge: Command) -> None:
    judge = import_with_a_name(adjudge, "improved", COOKBOOK, "IMPROVED_JUDGE_PROMPT")
    cases = [
        (f"Evaluation: {REASON}\nTotal rating: 5", "out_of_range"),
        (f"Evaluation: {REASON}\nTotal rating: 2.5", "out_of_range"),
        (f"Evaluation: {REASON}\nTotal rating: 3 or 4", "unreadable"),
        (f"Evaluation: {REASON}", "unreadable"),
    ]
    rows = verdicts(adjudge, judge, [reply for reply, _ in cases])
    for (reply, outcome), row in zip(cases, rows, strict=True):
        assert row["scores"]["total_rating"]["outcome"] == outcome, reply


STRENGTHS = ["It is right.", "It is short."]
WEAKNESSES = ["It gives no source.", "It tells nothing about the city."]
PARAGRAPH = "Every criterion is met as far as one sentence can meet it."
ADVICE = ["Name a source."]
FEEDBACK = {
    "evaluation": REASON,
    "strengths": STRENGTHS,
    "weaknesses": WEAKNESSES,
    "detailed_analysis": PARAGRAPH,
    "recommendations": ADVICE,
}


def _five_sections(rating: str, heading: str, bullet: str) -> str:
    def listed(entries: list[str]) -> str:
        return "\n".join(f"{bullet} {entry}" for entry in entries)

    titles = ["Evaluation", "Strengths", "Weaknesses", "Detailed Analysis", "Recommendations"]
    texts = [REASON, listed(STRENGTHS), listed(WEAKNESSES), PARAGRAPH, listed(ADVICE)]
    parts = [
        heading.format(at=at, title=title) + text
        for at, (title, text) in enumerate(zip(titles, texts, strict=True), 1)
    ]
    return "\n\n".join([rating, *parts] if rating.startswith("Total") else [*parts, rating])


@pytest.mark.parametrize(
    "heading",
    [
        "{at}. **{title}**:\n",
        "**{title}**\n",
        "## {title}\n",
        "### {at}. {title}\n\n",
        "**{title}:**\n",
        "{title}:\n",
    ],
)
@pytest.mark.parametrize("bullet", ["-", "*", "•"])
def test_the_five_sections_of_a_seed(adjudge: Command, heading: str, bullet: str) -> None:
    judge = import_with_a_name(adjudge, "graded", seed("002"), None)
    ratings = [
        ("Total rating: 3", 3, "helpful"),
        ("**Total Rating**: 4", 4, "excellent"),
        ("## Total rating\n2", 2, "unhelpful"),
        ("**Total rating:** terrible", 1, "terrible"),
        ("Total rating: 3 (helpful)", 3, "helpful"),
    ]
    rows = verdicts(adjudge, judge, [_five_sections(r, heading, bullet) for r, _, _ in ratings])
    for (rating, value, label), row in zip(ratings, rows, strict=True):
        score = row["scores"]["total_rating"]
        assert (score["outcome"], score["value"], score["label"]) == ("scored", value, label), (
            rating
        )
        assert row["feedback"] == FEEDBACK, rating
        assert score["explanation"] == REASON
        assert not row["notes"]


def test_the_five_sections_as_json(adjudge: Command) -> None:
    judge = import_with_a_name(adjudge, "graded", seed("002"), None)
    reply = json.dumps({**FEEDBACK, "total_rating": 3})
    plain, fenced = verdicts(adjudge, judge, [reply, f"Here it is:\n```json\n{reply}\n```"])
    for row in (plain, fenced):
        assert row["scores"]["total_rating"]["value"] == 3
        assert row["feedback"] == FEEDBACK


def test_sections_without_a_rating_or_short_of_entries(adjudge: Command) -> None:
    judge = import_with_a_name(adjudge, "graded", seed("002"), None)
    whole = _five_sections("Total rating: 3", "**{title}:**\n", "-")
    cases = [
        whole.replace("Total rating: 3", ""),
        whole.replace("Total rating: 3", "Total rating: 5"),
        whole.replace("- It is short.\n", ""),
        whole.replace(f"**Recommendations:**\n- {ADVICE[0]}", ""),
    ]
    unrated, beyond, short, without = verdicts(adjudge, judge, cases)
    assert unrated["outcome"] == "unreadable"
    assert unrated["feedback"] == FEEDBACK
    assert beyond["outcome"] == "out_of_range"
    assert short["notes"] == ["1 strengths instead of 2 to 3"]
    assert without["notes"] == ["no recommendations in the reply"]


CRITERIA = ["relevance", "accuracy", "completeness", "clarity", "tone"]
VALUES = dict(zip(CRITERIA, [9.0, 8.5, 7.0, 10.0, 6.5], strict=True))
COMMENTS = [
    "Câu trả lời đúng trọng tâm của câu hỏi.",
    "Thông tin khớp với câu trả lời chuẩn.",
    "Còn thiếu vài chi tiết quan trọng.",
    "Trình bày rõ ràng và dễ đọc.",
    "Giọng điệu lịch sự nhưng hơi lạnh lùng.",
]


def test_five_criteria_with_comments(adjudge: Command) -> None:
    judge = import_with_a_name(adjudge, "chat", seed("003"), None)
    reply = json.dumps({**VALUES, "comments": "\n\n".join(COMMENTS)}, ensure_ascii=False)
    laid_out = json.dumps(
        {**VALUES, "comments": "\n\n".join(COMMENTS)}, ensure_ascii=False, indent=2
    )
    raw_breaks = laid_out.replace("\\n", "\n")
    cases = [
        reply,
        f"```json\n{laid_out}\n```",
        f"Kết quả đánh giá:\n\n```\n{laid_out}\n```\nHết.",
        laid_out.replace("\n}", ",\n}"),
        f"```json\n{raw_breaks}\n```",
    ]
    for case, row in zip(cases, verdicts(adjudge, judge, cases), strict=True):
        scores = row["scores"]
        assert {name: scores[name]["value"] for name in CRITERIA} == VALUES, case
        assert [scores[name]["explanation"] for name in CRITERIA] == COMMENTS, case
        assert not row["notes"], case


def test_five_criteria_in_other_forms(adjudge: Command) -> None:
    judge = import_with_a_name(adjudge, "chat", seed("003"), None)
    whole = {**VALUES, "comments": "\n\n".join(COMMENTS)}
    by_name = dict(zip(CRITERIA, COMMENTS, strict=True))
    nested = {name: {"score": VALUES[name], "comment": by_name[name]} for name in CRITERIA}
    cases: list[dict[str, object]] = [
        whole | {"accuracy": 12.0},
        {name: value for name, value in whole.items() if name != "tone"},
        {**VALUES, "comments": by_name},
        dict(nested),
        whole | {"comments": "Tốt."},
    ]
    texts = [json.dumps(case, ensure_ascii=False) for case in cases]
    beyond, without, named, inside, one = verdicts(adjudge, judge, texts)
    assert beyond["scores"]["accuracy"]["outcome"] == "out_of_range"
    assert beyond["scores"]["tone"]["value"] == 6.5
    assert without["scores"]["tone"]["outcome"] == "unreadable"
    assert without["scores"]["clarity"]["value"] == 10.0
    for row in (named, inside):
        assert {name: row["scores"][name]["value"] for name in CRITERIA} == VALUES
        assert [row["scores"][name]["explanation"] for name in CRITERIA] == COMMENTS
    assert one["outcome"] == "scored"


NINE = {
    "factuality": "Factuality",
    "consistency": "Consistency",
    "relevance": "Relevance",
    "fluency": "Fluency",
    "coherence": "Coherence",
    "accuracy": "Accuracy",
    "multidimensional_quality": "Multidimensional Quality",
    "semantic_appropriateness": "Semantic Appropriateness",
    "understandability": "Understandability",
}
KOREAN = "생성된 응답은 원문의 내용을 정확하게 반영하고 있으며 빠진 부분이 없습니다."


def _nine(form: str) -> dict[str, str]:
    return {
        name: form.format(title=title, why=KOREAN, value=1 + at % 5)
        for at, (name, title) in enumerate(NINE.items())
    }


NINE_FORMS = [
    "Evaluation Explanation:\n- {why}\n\n{title} Score (1-5): {value}",
    "Evaluation Explanation: {why}\n\n{title} Score (1-5): {value}",
    "**Evaluation Explanation:**\n- {why}\n\n**{title} Score (1-5):** {value}",
    "평가 설명: {why}\n\n{title} Score (1-5): {value}",
    "평가 설명:\n{why}\n\n점수: {value}점",
    "{title} Score: {value}\n\n설명: {why}",
    "{title} Score (1-5): {value}\n\nEvaluation Explanation:\n- {why}",
]


def test_nine_aspects_with_korean_explanations(adjudge: Command) -> None:
    judge = import_with_a_name(adjudge, "aspects", seed("004"), None)
    rows = verdicts(adjudge, judge, [_nine(form) for form in NINE_FORMS])
    for form, row in zip(NINE_FORMS, rows, strict=True):
        for at, name in enumerate(NINE):
            score = row["scores"][name]
            assert (score["outcome"], score["value"]) == ("scored", 1 + at % 5), (form, name)
            assert score["explanation"].strip("- ") == KOREAN, (form, name)
            assert score["explanation_outcome"] != "wrong_language"
        assert not row["notes"], form


def test_nine_aspects_in_the_wrong_language_or_off_the_scale(adjudge: Command) -> None:
    judge = import_with_a_name(adjudge, "aspects", seed("004"), None)
    english = _nine(f"Evaluation Explanation: {REASON}\n\n{{title}} Score (1-5): {{value}}")
    beyond = _nine(NINE_FORMS[0]) | {"fluency": f"Evaluation Explanation: {KOREAN}\nScore: 6"}
    first, second = verdicts(adjudge, judge, [english, beyond])
    assert first["outcome"] == "scored"
    assert {each["explanation_outcome"] for each in first["scores"].values()} == {"wrong_language"}
    assert second["scores"]["fluency"]["outcome"] == "out_of_range"
    assert second["scores"]["accuracy"]["outcome"] == "scored"
