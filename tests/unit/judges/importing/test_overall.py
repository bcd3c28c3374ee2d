from __future__ import annotations

import pytest

from adjudge.core.judge import Judge
from adjudge.core.rubric import Requirement
from adjudge.errors import UsageError
from adjudge.judges.importing import Options, import_prompt

PROMPT = """Rate the answer from 1 to 5 on each criterion.{more}

- Accuracy{a}: is it right?
- Tone{b}: is it polite?

Question: {{question}}
Answer: {{answer}}

Reply as JSON: {{"accuracy": 1-5, "tone": 1-5}}
"""


def imported(a: str = "", b: str = "", more: str = "", **settings: str) -> Judge:
    options = Options(name="j", detect=lambda _: "en", settings=settings)
    return import_prompt(PROMPT.format(a=a, b=b, more=more), options).judge


def weights(judge: Judge) -> list[float]:
    return [criterion.weight for criterion in judge.rubric.criteria.values()]


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        (" (60%)", " (40%)", [60, 40]),
        (" (weight: 2)", " (weight: 1)", [2, 1]),
        (" - weight 0.7", " - weight 0.3", [0.7, 0.3]),
        (" (가중치 60%)", " (가중치 40%)", [60, 40]),
        (" (trọng số: 3)", " (trọng số: 1)", [3, 1]),
        ("（权重60%）", "（权重40%）", [60, 40]),
        ("（重み：3）", "（重み：1）", [3, 1]),
        (" (Gewichtung: 2)", " (Gewichtung: 1)", [2, 1]),
        (" (poids : 2)", " (poids : 1)", [2, 1]),
        (" (peso 70%)", " (peso 30%)", [70, 30]),
    ],
)
def test_weights_are_read_and_make_an_overall_score(a: str, b: str, found: list[float]) -> None:
    judge = imported(a, b)
    assert weights(judge) == found
    assert judge.rubric.overall is not None
    assert judge.rubric.overall.kind == "weighted_mean"


@pytest.mark.parametrize(("a", "b"), [(" (60%)", ""), (" (60%)", " (60%)"), (" (5)", " (4)")])
def test_what_is_no_weight_of_all_is_none(a: str, b: str) -> None:
    judge = imported(a, b)
    assert (weights(judge), judge.rubric.overall) == ([1, 1], None)


def test_a_prompt_that_allows_n_a_may_get_it() -> None:
    judge = imported(more=' Write "N/A" if one does not fit.')
    assert all(criterion.may_not_apply for criterion in judge.rubric.criteria.values())
    assert not any(criterion.may_not_apply for criterion in imported().rubric.criteria.values())


def test_what_is_set_holds() -> None:
    judge = imported(
        " (60%)",
        " (40%)",
        weights="accuracy:3,tone:-1",
        overall="sum",
        required="accuracy",
        may_not_apply="tone",
        evidence="answer",
    )
    criteria = judge.rubric.criteria
    assert weights(judge) == [3, -1]
    assert judge.rubric.overall is not None
    assert judge.rubric.overall.kind == "sum"
    assert (criteria["accuracy"].required, criteria["tone"].required) == (Requirement(), None)
    assert (criteria["accuracy"].may_not_apply, criteria["tone"].may_not_apply) == (False, True)
    assert judge.quoted == ("answer",)


@pytest.mark.parametrize(
    "settings",
    [{"weights": "accuracy:x"}, {"weights": "nobody:2"}, {"overall": "mean"}, {"required": "x"}],
)
def test_what_cannot_be_set_is_refused(settings: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="--set"):
        imported(**settings)


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        (" The overall score is the average of both.", "weighted_mean"),
        (" Final score = sum of the two.", "sum"),
        (" The overall grade is the lowest of them.", "min"),
        (" 종합 점수는 두 항목의 평균입니다.", "weighted_mean"),
        (" Điểm tổng là trung bình của hai tiêu chí.", "weighted_mean"),
        (" 总分为两项之和。", "sum"),
        (" 総合スコアは 2 項目の平均です。", "weighted_mean"),
        (" Die Gesamtnote ist der Durchschnitt.", "weighted_mean"),
        (" La note finale est la moyenne des deux.", "weighted_mean"),
        (" La nota final es la suma de ambas.", "sum"),
        (" A nota final é a média das duas.", "weighted_mean"),
    ],
)
def test_a_stated_formula_makes_the_overall_score(more: str, kind: str) -> None:
    overall = imported(more=more).rubric.overall
    assert overall is not None
    assert overall.kind == kind


@pytest.mark.parametrize(
    "mark",
    [" (required)", " - must pass", " (필수)", " (bắt buộc)", "（必须）", "【必須】", " (Pflicht)",
     " (obligatoire)", " (obligatorio)", " (obrigatório)"],
)  # fmt: skip
def test_what_must_not_fail_is_required(mark: str) -> None:
    judge = imported(a=mark)
    criteria = judge.rubric.criteria
    assert (criteria["accuracy"].required, criteria["tone"].required) == (Requirement(), None)
    assert judge.rubric.overall is not None


def from_text(text: str) -> Judge:
    return import_prompt(text, Options(name="j", detect=lambda _: "en")).judge


def test_one_that_may_be_answered_with_n_a_has_no_such_option() -> None:
    judge = from_text(
        "Say whether each holds.\nAnswer: {answer}\n"
        'JSON: {{"right": "yes|no", "polite": "yes|no|n/a"}}'
    )
    criteria = judge.rubric.criteria
    assert [one.may_not_apply for one in criteria.values()] == [False, True]
    assert criteria["polite"].scale == criteria["right"].scale


def test_quotations_to_the_letter_are_evidence() -> None:
    text = """Rate from 1 to 5 whether the context supports the answer.{more}
Context: {{context}}
Answer: {{answer}}
JSON: {{{{"score": 1-5, "quotes": ["..."], "reason": "..."}}}}"""
    assert from_text(text.format(more="")).quoted == ()
    more = " Quote sentences of the context word for word."
    assert from_text(text.format(more=more)).quoted == ("context",)


CLAIMS = """Hold every claim of the answer against the context.
Context: {context}
Answer: {answer}
JSON: {{"claims": [{{"claim": "...", "verdict": "%s", "quote": "..."}}]}}"""


def test_claims_with_verdicts_that_are_read_become_claims() -> None:
    judge = from_text(CLAIMS % "supported|contradicted|not_mentioned")
    claims = judge.rubric.criteria["claims"].claims
    assert claims is not None
    assert claims.against == ("context",)
    with pytest.raises(UsageError, match="with a verdict per entry"):
        from_text(CLAIMS % "green|yellow|red")


@pytest.mark.parametrize("form", ['{{"1": "yes/no", "2": "yes/no"}}', "[true/false, true/false]"])
def test_numbered_questions_with_numbered_answers_are_a_checklist(form: str) -> None:
    judge = from_text(
        "Look at the reply.\n1. Does it name the fee?\n2. Is it polite?\n"
        f'Reply: {{reply}}\nJSON: {{{{"answers": {form}}}}}'
    )
    checklist = judge.rubric.criteria["answers"].checklist
    assert checklist is not None
    asked = [question.text for question in checklist.questions]
    assert asked == ["Does it name the fee?", "Is it polite?"]
