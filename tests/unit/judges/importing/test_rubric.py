from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.core.scale import Binary, Number
from adjudge.errors import UsageError
from adjudge.judges.importing import ImportedJudge

Import = Callable[..., ImportedJudge]

END = "\nQuestion: {question}\nAnswer: {answer}\n"


def test_criteria_from_a_sample(take: Import) -> None:
    text = (
        "Grade from 0 to 10. Return JSON:\n```json\n{{\n"
        '  "accuracy": <float>,\n  "tone": <float>,\n  "comments": "<why>",\n'
        '  "missing_facts": ["<fact>"]\n}}\n```' + END
    )
    imported = take(text)
    judge = imported.judge
    assert "&" not in imported.text  # every criterion has its scale in full
    assert judge.reply == "json"
    assert {n: c.scale for n, c in judge.rubric.criteria.items()} == {
        "accuracy": Number(0, 10),
        "tone": Number(0, 10),
    }
    assert list(judge.feedback) == ["missing_facts"]
    assert judge.feedback["missing_facts"].list


def test_nested_samples_name_the_criterion_outside(take: Import) -> None:
    text = (
        'Score 1-5. Reply: {"fluency": {"score": 3, "reason": "…"},'
        ' "depth": {"score": 2, "reason": "…"}}\n{answer}'
    )
    assert list(take(text).judge.rubric.criteria) == ["fluency", "depth"]


def test_a_sample_with_a_verdict_of_true_or_false(take: Import) -> None:
    judge = take('Is it right? Reply {"correct": true or false, "why": "…"}\n{answer}').judge
    assert judge.rubric.criteria["correct"].scale == Binary()


def test_titles_come_from_headings(take: Import) -> None:
    text = (
        "Chấm điểm từ 1 đến 5.\n### 1. Tone (Giọng điệu)\nLịch sự không?\n### 2. Depth (Độ sâu)\n"
        'Đủ sâu không?\nTrả về JSON {{"tone": 3, "depth": 4}}' + END
    )
    criteria = take(text).judge.rubric.criteria
    assert criteria["tone"].title == "Tone (Giọng điệu)"
    assert criteria["depth"].title == "Depth (Độ sâu)"


def test_criteria_from_titles_with_a_range(take: Import) -> None:
    text = "Rate these:\n- Fluency (1-5): does it read well?\n- **Depth (1-3)**: is it deep?" + END
    criteria = take(text).judge.rubric.criteria
    assert {n: c.scale for n, c in criteria.items()} == {
        "fluency": Number(1, 5),
        "depth": Number(1, 3),
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Give an 'overall score' from 1 to 5.", "overall_score"),
        ('From 1 to 10, strictly in this format: "[[rating]]", e.g. "Rating: [[5]]".', "rating"),
        ("From 1 to 5.\nTotal rating: (your rating)", "total_rating"),
        ("1점에서 5점.\n점수: (숫자)", "score"),
        ("Rate from 1 to 5.", "score"),
    ],
)
def test_one_criterion_is_called_as_the_prompt_calls_it(text: str, name: str, take: Import) -> None:
    assert list(take(text + END).judge.rubric.criteria) == [name]


def test_criteria_that_are_set(take: Import) -> None:
    judge = take("Rate from 1 to 5." + END, criteria="Depth, tone").judge
    assert list(judge.rubric.criteria) == ["depth", "tone"]


def test_numbered_bold_sections_are_feedback(take: Import) -> None:
    text = (
        "Rate from 1 to 5.\n\nPlease provide:\n\n1. **Verdict in words**: Say what you think.\n"
        "2. **Good points**: List 1-3 of them.\n3. **Score**: the number." + END
    )
    judge = take(text).judge
    assert list(judge.feedback) == ["verdict_in_words", "good_points"]
    good = judge.feedback["good_points"]
    assert (good.list, good.least, good.most) == (True, 1, 3)


def test_numbered_bold_criteria_are_no_feedback(take: Import) -> None:
    text = "Rate from 1 to 5.\nConsider these criteria:\n1. **Depth**: Deep?\n2. **Tone**: Polite?"
    assert not take(text + END).judge.feedback


@pytest.mark.parametrize(
    ("text", "explained"),
    [
        ("Rate from 1 to 5 and explain why.", True),
        ("1점에서 5점으로 평가하고 이유를 쓰세요.", True),
        ("Rate from 1 to 5.", False),
        ("Rate from 1 to 5. Reason silently, output only the score.", False),
    ],
)
def test_whether_reasons_are_asked_for(text: str, explained: bool, take: Import) -> None:
    [criterion] = take(text + END).judge.rubric.criteria.values()
    assert criterion.explain is explained


def test_whether_reasons_are_given_can_be_set(take: Import) -> None:
    [criterion] = take("Rate from 1 to 5." + END, explain="yes").judge.rubric.criteria.values()
    assert criterion.explain is True
    with pytest.raises(UsageError, match="write yes or no"):
        take("Rate from 1 to 5." + END, explain="maybe")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("From 1 to 10, as [[rating]].", "[[rating]]"),
        ("From 1 to 5.\nTotal rating: (a number)", "Total rating:"),
        ("Score it from 1 to 5, behind [RESULT].", "[RESULT]"),
        ("From 1 to 5, as <score>3</score>.", "<score>"),
    ],
)
def test_the_place_of_the_score_is_told(text: str, place: str, take: Import) -> None:
    report = "\n".join(take(text + END).findings.lines())
    assert f"text, the score as {place}\n" in report


def test_a_reply_that_is_set(take: Import) -> None:
    assert take("Rate from 1 to 5." + END, reply="json").judge.reply == "json"
    with pytest.raises(UsageError, match="json or text"):
        take("Rate from 1 to 5." + END, reply="xml")


SECTIONS = (
    "# Two prompts\n\n## Depth \nIs it deep (1-5)?\n{answer}\n \n\n"
    "## Tone\nIs it polite? Score from 1 to 3.\nQ: {question}\nA: {answer}"
)


def test_prompts_under_headings(take: Import, sent: Callable[..., list[str]]) -> None:
    judge = take(SECTIONS).judge
    assert (judge.title, judge.ask) == ("Two prompts", "each")
    assert {n: c.scale for n, c in judge.rubric.criteria.items()} == {
        "depth": Number(1, 5),
        "tone": Number(1, 3),
    }
    assert sent(judge, question="q", answer="a") == [
        "## Depth \nIs it deep (1-5)?\na\n \n\n",
        "## Tone\nIs it polite? Score from 1 to 3.\nQ: q\nA: a",
    ]


def test_sections_of_one_title_are_told_apart(take: Import) -> None:
    judge = take(SECTIONS.replace("## Tone", "## Depth")).judge
    assert [each.title for each in judge.rubric.criteria.values()] == ["Depth", "depth_2"]


def test_sections_can_be_called_otherwise(take: Import) -> None:
    assert list(take(SECTIONS, criteria="a,b").judge.rubric.criteria) == ["a", "b"]
    with pytest.raises(UsageError, match="holds 2 prompts under headings"):
        take(SECTIONS, criteria="a")


def test_text_above_the_headings_stands_in_every_prompt(
    take: Import, sent: Callable[..., list[str]]
) -> None:
    imported = take("Be strict.\n" + SECTIONS.removeprefix("# Two prompts\n\n"))
    shown = sent(imported.judge, question="q", answer="a")
    assert all(each.startswith("Be strict.\n## ") for each in shown)
    assert "stands in every prompt" in "\n".join(imported.findings.lines())


def test_headings_of_one_prompt_are_no_sections(take: Import) -> None:
    text = "## Role\nYou grade from 1 to 5.\n## Item\n{question}\n{answer}\n## Output\nScore:"
    assert take(text).judge.ask == "together"


DESCRIBED = (
    "You grade replies from 1 to 5.\n\n## Input\n- **Question**: [what was asked]\n"
    '- **Bot Answer**: [what the bot said]\n\n## Output\n{{"score": 3, "reason": "…"}}'
)


def test_a_described_input(take: Import, sent: Callable[..., list[str]]) -> None:
    judge = take(DESCRIBED).judge
    assert judge.judged == ("bot_answer",)
    [shown] = sent(judge, question="q", bot_answer="a")
    system, user = shown.split("\n----\n")
    assert system == DESCRIBED.format()
    assert user == "- **Question**: q\n- **Bot Answer**: a"


@pytest.mark.parametrize("head", ["입력 형식:", "## 输入", "### 入力", "## Đầu vào"])
def test_described_in_other_languages(head: str, take: Import) -> None:
    text = f"Rate from 1 to 5.\n{head}\n- 질문: …\n- Answer: …\n\nThat is all."
    assert list(take(text).judge.inputs) == ["question", "answer"]


def test_a_comparison_is_told_of_both_orders(take: Import) -> None:
    text = "Say [[A]] if the first is better, else [[B]].\n{question}\n{answer_a}\n{answer_b}"
    imported = take(text)
    assert imported.judge.judged == ("answer_a", "answer_b")
    assert "add `pair:` to ask in both" in "\n".join(imported.findings.lines())


def test_a_cap_in_words_is_pointed_out(take: Import) -> None:
    text = "Rate from 1 to 10.\n- A grave error: score ≤ 5.\n" + END
    report = "\n".join(take(text).findings.lines())
    assert "line 2" in report
    assert "stays words" in report
