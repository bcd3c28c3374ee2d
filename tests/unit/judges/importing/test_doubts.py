"""Where the form of the reply, the titles and the sentences of a prompt disagree, doubt is said."""

from __future__ import annotations

import pytest

from adjudge.judges.importing import ImportedJudge, Options, import_prompt
from adjudge.reading import detect_language

OPTIONS = Options(name="x", detect=detect_language)
ANSWER = "\nAnswer: {answer}"


def doubts(text: str) -> str:
    imported: ImportedJudge = import_prompt(text, OPTIONS)
    return "\n".join(line for line in imported.findings.lines() if "--set" in line and ":" in line)


DOUBTED = {
    "more titles with ranges": (
        'Accuracy (1-5): right?\nDepth (1-5): deep?\nAnswer in JSON.\n{{"score": <1-5>}}' + ANSWER,
        "criterion: Accuracy, Depth have ranges of their own",
    ),
    "a number of criteria": (
        "Score it on three dimensions from 1 to 5 and write the score." + ANSWER,
        "criterion: the prompt speaks of 3 of them",
    ),
    "세 기준": (
        "아래 답변을 세 기준으로 각각 채점하고 점수를 1점에서 5점으로 쓰세요.\n답변: {answer}",
        "criterion: the prompt speaks of 3 of them",
    ),
    "a list of what is scored": (
        "Score the translation on adequacy, fluency and style from 1 to 5." + ANSWER,
        "criterion: “adequacy, fluency and style” may be scored one by one",
    ),
    "one number for two texts": (
        "Rate the answers from 1 to 10.\nAnswer A: {answer_a}\nAnswer B: {answer_b}",
        "criterion: one number for answer_a, answer_b together",
    ),
    "an example outside of the range": (
        'Rate it from 1 to 5 as in {{"score": 8, "reason": "…"}}.' + ANSWER,
        "scale: the example shows 8",
    ),
    "a score outside of the range": (
        "Rate it from 1 to 5. A score of 10 is for perfection." + ANSWER,
        "scale: a score of 10 is spoken of",
    ),
    "a tie that is no option": (
        (
            'Which one is better? {{"winner": "A" | "B"}}. If both are alike say "tie".\n'
            "A: {answer_a}\nB: {answer_b}"
        ),
        'scale: "tie" stands there too',
    ),
}


@pytest.mark.parametrize(("text", "said"), DOUBTED.values(), ids=list(DOUBTED))
def test_what_disagrees_is_said(text: str, said: str) -> None:
    assert said in doubts(text)


@pytest.mark.parametrize(
    "text",
    [
        'Rate from 1 to 5.\nReply: {{"score": <1-5>, "reason": "…"}}' + ANSWER,
        "Consider three criteria: tone, depth and style. Rate it from 1 to 5." + ANSWER,
        'Rate from 1 to 5 as in {{"score": 4, "reason": "…"}}.' + ANSWER,
        "Rate it from 1 to 5, and give a score of 0 if it is empty." + ANSWER,
        'Which one is better? {{"winner": "A" | "B" | "tie"}}.\nA: {answer_a}\nB: {answer_b}',
    ],
)
def test_what_agrees_is_sure(text: str) -> None:
    assert not [one for one in import_prompt(text, OPTIONS).findings.all if one.doubt]
