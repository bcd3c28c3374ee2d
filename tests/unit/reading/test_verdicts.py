"""A verdict with its reason beside it, in nine languages; and what only looks like one."""

from __future__ import annotations

import pytest
from tests.unit.reading.asked import CORRECT, FIVE, GATE, LEVELS, PAIR, YES_NO, judge_of, said

from adjudge.core.reply import Reply
from adjudge.reading.read import read

QUALITY = "{type: category, options: [good, bad, mixed]}"
GIVEN = "{type: category, options: [SUPPORTED, NOT SUPPORTED, NOT ENOUGH INFO]}"
LETTERS = "{type: category, options: [A, B, C, D]}"
KOREAN = "{type: category, options: [통과, 위반]}"
CHINESE = "{type: category, options: [支持, 反对, 无关]}"
GERMAN = "{type: category, options: [richtig, falsch, unklar]}"
VIETNAMESE = "{type: category, options: [đúng, sai, một phần]}"
SPANISH = "{type: category, options: [correcta, parcial, incorrecta]}"

# Longer than what is read as a whole reply.
WHY = "it greets the customer by name, answers the question and offers further help in full."


@pytest.mark.parametrize(
    ("scale", "text", "value"),
    [
        (GATE, f"PASS - {WHY}", "PASS"),
        (GATE, f"FAIL, because {WHY}", "FAIL"),
        (GATE, f"**PASS** because {WHY}", "PASS"),
        (GATE, f"PASS (with remarks): {WHY}", "PASS"),
        (GATE, "To pass it would have to greet the customer, which it does not do. FAIL", "FAIL"),
        (CORRECT, f"Incorrect. The year is wrong, though {WHY}", "Incorrect"),
        (QUALITY, f"Bad, since nothing of it is so: {WHY}", "bad"),
        (GIVEN, f"NOT ENOUGH INFO - {WHY}", "NOT ENOUGH INFO"),
        (LETTERS, "(B) The submission has more in it than the expert's answer, all of it.", "B"),
        (LETTERS, "A closer look shows that the two of them cannot both be right at all. D", "D"),
        (KOREAN, "위반, 고객에게 확인되지 않은 환불을 바로 약속했기 때문입니다.", "위반"),
        (KOREAN, "위반 사항이 전혀 없고 정책에 있는 문장을 그대로 안내했습니다. 통과", "통과"),
        (CHINESE, "反对，因为证据里写的年份与陈述里的年份不同。", "反对"),
        (GERMAN, "Falsch, weil das Jahr ein anderes als in der Quelle ist.", "falsch"),
        (VIETNAMESE, "Sai, vì câu trả lời nhầm năm thành lập của công ty đó mất rồi.", "sai"),
        (SPANISH, "Correcta, porque el año es el mismo que en la fuente.", "correcta"),
        (YES_NO, "No because the year that it names is not the one in the source.", False),
        (YES_NO, "Yes it does: every fact that it names stands in the source that it cites.", True),
        (YES_NO, "Non : la date que donne la réponse n'est pas celle de la source citée.", False),
        (YES_NO, "예 (원문과 일치)", True),
        (YES_NO, "No wonder it is right, since all of it is copied from the source. Yes", True),
        (YES_NO, "No hay errores en la respuesta, que coincide con la fuente citada. Sí", True),
    ],
)  # fmt: skip
def test_a_verdict_with_its_reason(scale: str, text: str, value: object) -> None:
    assert said(scale, text) == value


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (YES_NO, "No error was found."),
        (YES_NO, "No doubt: the answer follows."),
        (YES_NO, "Yes, but actually no, it does not follow."),
        (YES_NO, "No... wait, yes, it does."),
        (YES_NO, "Yes, the source says so. However, the second claim is not in it. So no."),
        (YES_NO, "No, wait. The source does say so. Yes."),
        (YES_NO, "네, 그러나 결론은 아니오."),
        (YES_NO, "Ja, aber eigentlich nein."),
        (YES_NO, "Oui, mais non."),
        (YES_NO, "Sí, pero en realidad no."),
        (YES_NO, "Sim, mas na verdade não."),
        (YES_NO, "はい、いや、いいえ。"),
        (YES_NO, "No lo sé."),
        (YES_NO, "Không có lỗi nào."),
        (YES_NO, "否则会误导读者。"),
        (GATE, "Pass the salt."),
        (GATE, "PASS: greets. FAIL: promises."),
        (CORRECT, "Correct: Paris. The answer names Rome, which has never been the capital of it."),
        (CORRECT, "Correct answer: Paris. The student's was another one altogether, it seems."),
        (GATE, "PASS - if it greets the customer (say why)\nFAIL - if it does not (quote it)"),
        (GATE, "PASS - greets the customer\nFAIL - promises a refund"),
        (GATE, "FAIL: unless the customer is greeted by name, with all that this takes."),
        (QUALITY, "Good, clear writing, but the facts are bad."),
        (QUALITY, "Good: all facts. Bad: too long."),
        (LETTERS, "A. Lee wrote response B, which is the better one of the two by any measure."),
        (FIVE, "4, no wait, 3."),
        (FIVE, "3, or rather 4"),
    ],
)
def test_what_is_no_verdict_or_is_taken_back(scale: str, text: str) -> None:
    assert said(scale, text) is None


@pytest.mark.parametrize(
    ("scale", "text", "value"),
    [
        (FIVE, "Score: 3\nCorrection: the capital is Paris.", 3),
        (FIVE, "Score: 3\nCorrection: the score is 4.", 4),
        (FIVE, "Score: 3\nCorrection: it deserves more.", None),
        (LEVELS, "Score: 3\nCorrection: it was excellent.", None),
        (PAIR, "Verdict: A\nCorrection: the other one.", None),
    ],
)
def test_a_correction_of_the_text_takes_no_score_back(
    scale: str, text: str, value: float | None
) -> None:
    assert said(scale, text) == value


@pytest.mark.parametrize(
    "total",
    [
        "Overall score: 4", "Overall: 4", "Final score: 4", "Score: 4", "총점: 4점", "总分：4",
        "総合評価：4", "Tổng điểm: 4", "Gesamt: 4", "Note globale : 4", "Nota final: 4",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["{}: {}\n", "## {}\nScore: {}\n", "{} = {}; "])
def test_a_total_below_the_criteria_is_the_score_of_none(total: str, form: str) -> None:
    own = {"clarity": 3, "depth": 2, "tone": 2}
    text = "".join(form.format(name, value) for name, value in own.items()).strip()
    if "Score" in form and total == "Score: 4":
        return  # the last criterion's own once more
    judge = judge_of(FIVE, criteria=tuple(own))
    scores = read(judge, tuple(own), Reply(text=f"{text}\n{total}")).scores
    assert {name: score.value for name, score in scores.items()} == own


def test_values_behind_a_sign_without_a_space() -> None:
    judge = judge_of(FIVE, criteria=("clarity", "tone"))
    scores = read(judge, ("clarity", "tone"), Reply(text="clarity=3; tone=2")).scores
    assert [score.value for score in scores.values()] == [3, 2]


NUMBER = "{type: number, min: 0, max: 5}"


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (FIVE, "Bonne réponse.\n\nNote : X/5"),
        (FIVE, "Well done.\n\nMark: [your mark]/5"),
        (NUMBER, '{"score": 0.X, "why": "…"}'),
        (NUMBER, "Score: 3.?"),
        (LETTERS, "- Verdict: A (right)\n- Verdict: B (half right)\n- Verdict: C (not so)"),
        (PAIR, "<answer>A</answer> or <answer>B</answer>"),
    ],
)
def test_a_form_that_is_sent_back_is_no_verdict(scale: str, text: str) -> None:
    assert said(scale, text) is None
