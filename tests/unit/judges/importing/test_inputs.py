from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import ImportedJudge, ImportQuestion
from adjudge.judges.importing.roles import role_of

Import = Callable[..., ImportedJudge]

ASKED = "Rate it from 1 to 5.\n"


def _report(imported: ImportedJudge) -> str:
    return "\n".join(imported.findings.lines())


@pytest.mark.parametrize(
    "name",
    ["answer", "response", "output", "summary", "completion", "generated_response", "model_output",
     "system_answer", "agent_answer", "answer_a", "candidate", "prediction", "actual_output"],
)  # fmt: skip
def test_names_of_the_judged(name: str) -> None:
    assert role_of(name) == "answer"


@pytest.mark.parametrize(
    "name",
    ["question", "source", "context", "reference", "reference_answer", "true_answer", "document",
     "expected_output", "ground_truth", "gold_answer", "correct_answer", "input", "focus"],
)  # fmt: skip
def test_names_of_what_is_given(name: str) -> None:
    assert role_of(name) not in {"answer", "judged"}


def test_the_only_input_is_judged(take: Import) -> None:
    assert take(ASKED + "{poem}").judge.judged == ("poem",)


def test_where_no_name_tells_all_are_judged_and_it_is_said(take: Import) -> None:
    imported = take(ASKED + "{left} {right}")
    assert imported.judge.judged == ("left", "right")
    assert "judged: no name tells the inputs apart; --set judged=…" in _report(imported)


@pytest.mark.parametrize(
    ("text", "judged", "sure"),
    [
        ("Question: {question}\nDocuments: {documents}", "documents", False),
        ("Question: {question}\nThing: {thing}", "thing", False),
        ("Model answer: {model_answer}\nStudent: {student_answer}", "student_answer", True),
        ('Erwartet: "{a}"\nAntwort des Schülers : "{b}"', "b", True),
        ("Réponse attendue : «{x}»\nRéponse de l'élève : «{y}»", "y", True),
    ],
)
def test_the_judged_input(text: str, judged: str, sure: bool, take: Import) -> None:
    imported = take(ASKED + text)
    assert imported.judge.judged == (judged,)
    assert ("--set judged=" not in _report(imported)) == sure


def test_what_is_judged_is_asked_where_nothing_tells(take: Import) -> None:
    with pytest.raises(ImportQuestion, match=r"--set judged=NAME") as asked:
        take(ASKED + "{question} {history} {rubric}")
    assert asked.value.key == "judged"
    assert take(ASKED + "{question} {history}", judged="history").judge.judged == ("history",)


def test_judged_can_be_set(take: Import) -> None:
    assert take(ASKED + "{left} {right}", judged="right").judge.judged == ("right",)
    with pytest.raises(UsageError, match=r"no such input .inputs: left, right"):
        take(ASKED + "{left} {right}", judged="up")


def test_the_label_before_a_name_goes_first(take: Import) -> None:
    text = ASKED + "Student answer: {result}\nTrue answer: {answer}\n"
    assert take(text).judge.judged == ("result",)


def test_an_input_that_a_template_tests_for_may_be_empty(take: Import) -> None:
    text = ASKED + "{{ answer }}{% if notes %}\nNotes: {{ notes }}{% endif %}"
    imported = take(text)
    assert not imported.judge.inputs["notes"].required
    assert "may be empty  notes" in "\n".join(imported.findings.lines())


def test_names_in_the_instructions_are_columns(take: Import) -> None:
    judge = take(ASKED + "Compare user_question and system_answer.\nQuestion: %s\nAnswer: %s").judge
    assert judge.inputs["question"].columns == ("user_question",)
    assert judge.inputs["answer"].columns == ("system_answer",)


@pytest.mark.parametrize(
    "text",
    ["{answer}\nContext (optional): {context}\n",
     "{answer}\n\nThe context may be empty.\n\nContext: {context}\n",
     "{answer}\n선택 사항: {context}\n"],
)  # fmt: skip
def test_inputs_that_may_be_empty(text: str, take: Import) -> None:
    inputs = take(ASKED + text).judge.inputs
    assert not inputs["context"].required
    assert inputs["answer"].required
