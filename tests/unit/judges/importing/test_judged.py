"""Which input is judged: names, labels, headings and what the task speaks of, in nine languages."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.judges.importing import ImportedJudge, ImportQuestion
from adjudge.judges.importing.judged import label_at
from adjudge.judges.importing.roles import role_of

Import = Callable[..., ImportedJudge]


@pytest.mark.parametrize(
    ("words", "role"),
    [
        ("answer to the question", "answer"),
        ("question about the answer", "asked"),
        ("generatedAnswer", "answer"),
        ("reference_answer", "expected"),
        ("Antwort des Schülers", "answer"),
        ("Frage zur Antwort", "asked"),
        ("réponse à la question", "answer"),
        ("contexte de la réponse", "source"),
        ("respuesta del alumno", "answer"),
        ("pergunta do aluno", "asked"),
        ("câu trả lời của học sinh", "answer"),
        ("câu trả lời mong đợi", "expected"),
        ("질문에 대한 답변", "answer"),
        ("답변에 쓴 문서", "source"),
        ("模型对问题的回答", "answer"),
        ("标准答案", "expected"),
        ("学生の回答", "answer"),
        ("採点基準", "rule"),
        ("text to be graded", "judged"),
        ("평가 대상 글", "judged"),
        ("thing", None),
    ],
)
def test_the_role_that_words_speak_of(words: str, role: str | None) -> None:
    assert role_of(words) == role


@pytest.mark.parametrize(
    ("before", "label"),
    [
        ("Answer: ", "Answer"),
        ("**Answer**: ", "Answer"),
        ("[The Start of Bot A's Reply]", "Bot A's Reply"),
        ("### Reply\n", "Reply"),
        ("【回复】\n", "回复"),
        ("Reply:\n```\n", "Reply"),
        ("<reply>\n", "reply"),
        ("It says ", ""),
    ],
)
def test_the_label_of_a_placeholder(before: str, label: str) -> None:
    assert label_at(f"Rate it.\n{before}{{x}}", len("Rate it.\n") + len(before)) == label


SURE = [
    # The label goes before the name.
    ("Rate it 1 to 5. Question: {q} Real answer: {answer} Predicted answer: {result}", "result"),
    ("Rate it 1 to 5.\n[Key]{key}[/Key]\n[Start of Bot A's Answer]{a}\n[Question]{b}", "a"),
    (
        "Rate 1 to 5.\nTeacher's answer: {teacher_answer}\nStudent's answer: {student_answer}",
        "student_answer",
    ),
    # What the verb speaks of, where no name tells.
    ("Rate the poem from 1 to 5.\nTheme: {theme}\nPoem: {poem}", "poem"),
    ("Judge from 1 to 5 whether the plan is safe.\n{plan}\n{topic}", "plan"),
    # The heading above a list of fields, unless it stands over all of them.
    ("Rate 1 to 5.\n## Input format\n- true answer: {c}\n- words: {answer}", "answer"),
    ("Rate 1 to 5.\n== Expected result ==\n- class: {c}\n== Result ==\n- class: {d}", "d"),
    ("Chấm điểm 1 đến 5.\nĐáp án: {dap_an}\nBài làm: {noi_dung}", "noi_dung"),
    ("1부터 5까지 평가하세요.\n[정답 기준]\n{gold}\n[시스템의 답변]\n{text}", "text"),
    ("请打分 1 到 5。\n【角色设定】\n{summary}\n【回复】\n{reply}", "reply"),
    ("1から5で採点してください。\n# ルール\n{rule}\n# 記録\n{notes}", "notes"),
    ("Note de 1 à 5.\nBrief : {brief}\nSortie de l'agent : {bloc}", "bloc"),
]
LIKELY = [
    # A name and the words before it that disagree.
    ("Rate it 1 to 5. Question: {q} The assistant's answer to be graded: {correct_answer}",
     ("correct_answer",)),
    # Nothing is an answer, but the task speaks of one.
    ("Grade 1 to 5 how relevant it is to the query.\n{query}\n{passage}", ("passage",)),
    ("Compara de 1 a 5 estas preguntas.\nNueva pregunta: {x}\nPregunta vieja: {y}", ("x", "y")),
    ("Rate it 1 to 5. Answer: {answer}\nSummary: {summary}", ("answer", "summary")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "judged"), SURE)
def test_clear_evidence_is_stated(text: str, judged: str, take: Import) -> None:
    imported = take(text, scale="1-5")
    assert imported.judge.judged == (judged,)
    assert not any(finding.what == "judged" for finding in imported.findings.all)


@pytest.mark.parametrize(("text", "judged"), LIKELY)
def test_weak_evidence_is_said(text: str, judged: tuple[str, ...], take: Import) -> None:
    imported = take(text, scale="1-5")
    assert imported.judge.judged == judged
    (said,) = [finding for finding in imported.findings.all if finding.what == "judged"]
    assert said.doubt
    assert said.key == "judged"


def test_parts_of_a_prediction_are_judged_together(take: Import) -> None:
    text = "Rate 1 to 5.\nRef: {ref_plan}\nPlan: {pred_plan}\nOpen questions: {pred_questions}"
    assert take(text).judge.judged == ("pred_plan", "pred_questions")


def test_two_of_a_pair_are_judged_together(take: Import) -> None:
    text = "Which is better, [[A]] or [[B]]?\nTask: {task}\nCandidate A: {a}\n{b}\n"
    assert take(text).judge.judged == ("a", "b")


@pytest.mark.parametrize(
    ("first", "second"),
    [("summary", "email"), ("outputs", "expectations"), ("answer", "answer_time")],
)
def test_one_text_is_judged_unless_alike(first: str, second: str, take: Import) -> None:
    text = f"Rate the {first} from 1 to 5.\n\n{second}: {{{second}}}\n\n{first}: {{{first}}}\n"
    judged = [name for name, part in take(text).judge.inputs.items() if part.judged]
    assert judged == [first]


@pytest.mark.parametrize(
    "text",
    [
        "Grade how well the response follows the rubric, from 1 to 5.\n{rubric}\n{question}",
        "Rate the answer from 1 to 5.\nQuestion: {question}",
    ],
)
def test_a_question_is_not_judged_for_want_of_its_answer(text: str, take: Import) -> None:
    with pytest.raises(ImportQuestion, match="which input is judged is not clear"):
        take(text)


def test_a_question_that_the_task_speaks_of_is_judged(take: Import) -> None:
    assert take("Rate the question from 1 to 5.\nQuestion: {question}").judge.judged == (
        "question",
    )


def test_the_answer_of_a_person_is_judged_beside_the_one_asked_for(take: Import) -> None:
    text = "Rate 1 to 5.\nQuestion: {question}\n{answer} was asked for, {user_answer} was given."
    assert take(text).judge.judged == ("user_answer",)


def test_what_a_tool_brought_up_is_a_source(take: Import) -> None:
    text = "Rate 1 to 5.\n**Tool result:** {tool_result}\n**Response:** {assistant_response}"
    assert take(text).judge.judged == ("assistant_response",)


@pytest.mark.parametrize(
    ("text", "judged"),
    [
        (
            "Compare both answers.\n[Code]\n{code}\n[Answer A]\n{a}\n[Answer B]\n{b}\n[[A]]/[[B]]",
            ("a", "b"),
        ),
        (
            "Answer A: {text}\nAnswer B: {text_b}\nWhich is better, [[A]] or [[B]]?",
            ("text", "text_b"),
        ),
        (
            "Code diff:\n{diff}\nComment:\n{comment}\nIs the comment useful, yes or no?",
            ("comment",),
        ),
        (
            "주어진 질문이 관련 있는지 예/아니오로 판단하세요.\n기록: {log}\n질문: {query}",
            ("query",),
        ),
        ("원자료만 근거로 1~5점으로 채점하세요.\n리포트: {report}\n원자료: {data}", ("report",)),
        (
            "1~5점으로 채점하세요.\n질문은 아래와 같습니다.\n> {0}\n답변은 아래와 같습니다.\n> {1}",
            ("answer",),
        ),
        (
            "Rate it 1-5. Given the rules {rules}, evaluate what the bot answered:\n{target}",
            ("target",),
        ),
    ],
)
def test_what_is_judged_stands_beside_other_texts(
    take: Import, text: str, judged: tuple[str, ...]
) -> None:
    assert take(text).judge.judged == judged


def test_a_rank_per_text_is_asked_about(take: Import) -> None:
    text = "Rank the three.\nResponse A: {a}\nResponse B: {b}\nResponse C: {c}\nOutput: A, B or C"
    with pytest.raises(ImportQuestion, match="per text"):
        take(text)


@pytest.mark.parametrize(
    ("text", "judged"),
    [
        (("From 1 to 5, how natural is it?\nSay how natural the dialogue turn is.\n"
         "Dialogue: {dialogue}\nTurn: {turn}"), "turn"),
        (("Rate the product description from 1 to 5.\n"
         "Product: {product}\nDescription: {description}"), "description"),
        ("주문 안내 글이 얼마나 쉬운지 1점부터 5점까지 매기세요.\n주문: {order}\n안내 글: {guide}",
         "guide"),
    ],
)  # fmt: skip
def test_of_words_in_a_row_the_last_is_meant(text: str, judged: str, take: Import) -> None:
    assert take(text).judge.judged == (judged,)
