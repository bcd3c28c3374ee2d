"""What a prompt states and its judge leaves aside is said, or asked."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.judges.importing import ImportedJudge, ImportQuestion, Options, import_prompt
from adjudge.reading import detect_language

ANSWER = "\nAnswer: {answer}"


def imported(text: str, **settings: str) -> ImportedJudge:
    return import_prompt(text, Options(name="x", detect=detect_language, settings=settings))


def report(text: str, **settings: str) -> str:
    return "\n".join(imported(text, **settings).findings.lines())


def scales(text: str) -> dict[str, Any]:
    return {name: entry["scale"] for name, entry in imported(text).criteria.items()}


def judged(one: ImportedJudge) -> list[str]:
    return [name for name, entry in one.judge.inputs.items() if entry.judged]


SAID = {
    "a key of the reply": (
        'Rate from 1 to 5.\n{{"score": <1-5>, "verdict": "<verdict>"}}' + ANSWER,
        "reply: verdict of the sample is not read",
    ),
    "a range of nothing that is read": (
        'Rate it from 0 to 3.\n{{"tone": "integer 1-5", "depth": "integer 1-10"}}' + ANSWER,
        "scale: 0 to 3 is the scale of no criterion",
    ),
    "a label of the reply": (
        'Assess it from 0 to 100. Write "Score: N" and then "Decision: X".' + ANSWER,
        "criterion: the reply has Decision besides",
    ),
    "labels whose places hold the same words": (
        "Reply in this form:\nPlot: <level>\nStyle: <level>\nOverall score: __/30" + ANSWER,
        "criterion: the reply has Plot, Style besides",
    ),
    "two ranges in a sentence": (
        "回答を正確性（1〜5）と流暢さ（1〜5）で評価してください。\n回答: {answer}",
        "has several ranges",
    ),
    "a verdict of each entry": (
        "对每条声明逐一判断：支持/反驳/不足。\n声明列表：{claims}\n证据：{evidence}",
        "may mean a value for each",
    ),
    "options of nothing that is read": (
        'Rate it.\n{{"score": <1-5>}}\nFinal verdict: answer only "ACCEPT" or "REJECT".' + ANSWER,
        "scale: accept / reject is the scale of no criterion",
    ),
}


@pytest.mark.parametrize(("text", "said"), SAID.values(), ids=list(SAID))
def test_what_is_left_over_is_said(text: str, said: str) -> None:
    assert said in report(text)


ACCOUNTED = {
    "the range of another key": (
        'Rate it.\n{{"score": <1-5>, "effort": "a text about effort, from 0 to 9"}}' + ANSWER
    ),
    "a range with a 0 beside it": "Rate it from 1 to 5. Give a score of 0 if it is empty." + ANSWER,
    "the options of another key": (
        'Rate it.\n{{"score": <1-5>, "risk": "LOW|MEDIUM|HIGH"}}' + ANSWER
    ),
    "reasons and feedback": (
        'Rate it.\n{{"score": <1-5>, "reason": "…", "strengths": ["…"]}}' + ANSWER
    ),
}


@pytest.mark.parametrize("text", ACCOUNTED.values(), ids=list(ACCOUNTED))
def test_what_is_accounted_for_is_not_doubted(text: str) -> None:
    assert "of no criterion" not in report(text)
    assert "is not read" not in report(text)


def test_a_scale_that_is_set_is_not_doubted() -> None:
    text = 'Rate each criterion from 0 to 3.\n{{"tone": <1-5>, "depth": <1-5>}}' + ANSWER
    assert "of no criterion" not in report(text, scale="1-5")


def test_a_list_below_another_heading_is_another_list() -> None:
    named = (
        "## Verdict rules\n\n- **A**: the first is better\n- **B**: the second is better\n"
        "- **TIE**: both are alike\n\n## Confidence\n\n- **high**: clear\n- **low**: close\n\n"
        "Give the winner (A/B/TIE), and your confidence.\nA: {answer_a}\nB: {answer_b}"
    )
    assert scales(named) == {"score": {"type": "category", "options": ["A", "B", "TIE"]}}
    capitals = (
        "## Verdict\n- PASS: fine\n- FAIL: bad\n\n## Severity\n- LOW: small\n- HIGH: great\n\n"
        "Give both." + ANSWER
    )
    assert all("PASS" not in one.get("options", ()) for one in scales(capitals).values())
    assert "fail / pass stands there too" in report(capitals)


def test_a_key_named_after_thinking_is_scored_where_its_place_is_a_range() -> None:
    text = 'Grade it.\n{{"clarity": <0-25>, "critical_thinking": <0-25>}}' + ANSWER
    assert set(scales(text)) == {"clarity", "critical_thinking"}
    told = 'Grade it.\n{{"clarity": <0-25>, "thinking": "<your thoughts>"}}' + ANSWER
    assert set(scales(told)) == {"clarity"}


def test_the_place_of_a_score_takes_the_numbers() -> None:
    text = (
        "Atribua a nota 1 se a resposta for fiel e 0 caso contrário. O veredito deve ser 'Aprovado'"
        " se todas as notas forem 1, e 'Reprovado' caso contrário.\n"
        '{{"fidelidade": <nota>, "clareza": <nota>, "verdict": "<veredito>"}}\nResposta: {resposta}'
    )
    assert {one["type"] for one in scales(text).values()} == {"binary"}
    assert "aprovado / reprovado" in report(text)


def test_titles_of_several_kinds_go_before_one_line() -> None:
    text = (
        "Evaluate the code.\n\n– Completeness (Yes/No)\n– Readability (0-100)\n\n"
        "Overall readability score: 90-100: easy 0-89: hard\nCode: {code}"
    )
    assert scales(text) == {
        "completeness": {"type": "binary"},
        "readability": {"type": "number", "min": 0, "max": 100},
    }


EACH = {
    "zh": "请按以下 3 个维度评分（0-5 分）：\n{list}\n对于每个维度，请以 JSON 给出：\n{keys}",
    "ko": "다음 3개 항목을 평가하세요.\n{list}\n각 항목마다 JSON으로 쓰세요:\n{keys}",
    "vi": "Chấm theo 3 tiêu chí:\n{list}\nVới mỗi tiêu chí, trả về JSON:\n{keys}",
}
KEYS = "- score: 0-5\n- reason: …\n" + "{answer}"
LISTED = {
    "zh": "1. 完成度：完成\n2. 遵循度：遵循\n3. 自然度：自然",
    "ko": "1. 정확성: 맞는가\n2. 명확성: 쉬운가\n3. 유창성: 자연스러운가",
    "vi": "1. Nội dung: đúng\n2. Hình thức: đẹp\n3. Ngôn ngữ: chuẩn",
}


@pytest.mark.parametrize("code", EACH)
def test_a_score_of_each_listed_criterion(code: str) -> None:
    text = EACH[code].format(list=LISTED[code], keys=KEYS)
    found = scales(text)
    assert len(found) == 3
    assert {(one["min"], one["max"]) for one in found.values()} == {(0, 5)}
    assert "the form of the reply does not name it" in report(text)


def test_a_score_of_each_of_none_that_is_listed_is_asked() -> None:
    text = EACH["zh"].format(list="", keys=KEYS)
    with pytest.raises(ImportQuestion) as asked:
        imported(text)
    assert asked.value.key == "criteria"


MANY = [
    "Grade 30 answers, 1 or 0 points each. Output only the grades, one per line." + ANSWER,
    "Grade the answers. Return 10 numbers separated by commas, each 0 or 1." + ANSWER,
    "Score both candidate answers from 0 to 100.\nBaseline: {baseline}\nAnswer: {attacker_answer}",
    "점수를 0-5점으로 한 줄에 하나씩 쓰세요.\n답변: {answer}",
]


@pytest.mark.parametrize("text", MANY)
def test_several_grades_in_one_reply_are_asked(text: str) -> None:
    with pytest.raises(ImportQuestion) as asked:
        imported(text)
    assert asked.value.key == "criteria"


def test_a_claim_is_judged_and_no_search_results() -> None:
    found = imported(
        "判断一条声明是否得到搜索结果的支持。\n只输出：属实、不实 或 不明\n\n**声明：** {claim}\n\n"
        "**搜索结果：**\n{search_results}"
    )
    assert judged(found) == ["claim"]


def test_a_text_judged_for_its_name_beside_unknown_ones_is_doubted() -> None:
    text = "You rate work from 1 to 10.\nFiles: {files}\nReview: {review}"
    assert "judged: not named so" in report(text)
    assert "judged: " not in report(
        "You rate work from 1 to 10.\nContext: {context}\nReview: {review}"
    )


def test_the_language_of_what_was_asked_is_none_of_the_reasons() -> None:
    text = "Rate it from 1 to 5 and explain.\nAnswer the question in Spanish: {question}" + ANSWER
    assert imported(text).judge.explain_in == "en"
    plain = "Rate it from 1 to 5 and explain. Write your reasons in Spanish." + ANSWER
    assert imported(plain).judge.explain_in == "es"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (
            "判断答案是否正确。判定：正确/错误。置信度：高/中/低。\n问题：{question}\n答案：{answer}",
            ["正确", "错误"],
        ),
        (
            "안전 / 주의 / 위험 중 하나로 답하고, 확신도를 높음/낮음으로 쓰세요.\n답변: {answer}",
            ["안전", "주의", "위험"],
        ),
    ],
)
def test_how_sure_the_judge_is_is_no_verdict(text: str, options: list[str]) -> None:
    assert [one["options"] for one in scales(text).values()] == [options]
    assert "of no criterion" not in report(text)
