"""What is said is read, and markup is no verdict; what would have been is in laws/asides.yaml."""

from __future__ import annotations

import pytest

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.judges import load_text
from adjudge.reading.read import read


def _judge(scale: str, name: str = "score") -> Judge:
    return load_text(
        f"judge: j\nversion: 1\ntitle: t\nlanguage: en\nexplain_in: en\n"
        f"inputs: {{answer: {{title: answer, judged: true}}}}\n"
        f"criteria: {{{name}: {{title: {name}, scale: {scale}, explain: false}}}}\n"
        'reply: text\nverbatim: true\nprompt: "{{ answer }}"\n',
        "j.yaml",
    )


def _value(judge: Judge, reply: str) -> object:
    [found] = read(judge, tuple(judge.rubric.criteria), Reply(text=reply)).scores.values()
    return found.value


TEN = _judge("{type: number, min: 0, max: 10}")
YES_NO = _judge("{type: binary}")


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("If I have to give a number: [[7]]", 7),
        ("점수를 매긴다면 [[7]]입니다.", 7),
        ("如果必须给分，我给[[7]]", 7),
        ("出典が示されていれば[[10]]でした。評価は[[7]]です。", 7),
        ("採点: 3点\n\n5つの条件のうち2つが抜けています。", 3),
        ("It leaves out two points, therefore score 3 out of 10", 3),
    ],
)
def test_what_is_said_is_read(reply: str, value: float) -> None:
    assert _value(TEN, reply) == value


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"answer": "perhaps"}\n```',
        '```json\n{"reason": "No source."}\n```',
        "```json\n{}\n```",
        "```python\nprint(1)\n```",
        "```\nprint(1)\n```",
        "```n\n```",
    ],
)
def test_markup_and_programs_are_no_answer(reply: str) -> None:
    assert _value(YES_NO, reply) is None


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("This is a perfect summary with a score of 5.", 5),
        ("Coherence: 2. The response drifts off.", 2),
        ("The response is somewhat coherent (2).", 2),
        ("somewhat coherent (2)", 2),
    ],
)
def test_bare_sentences_with_one_criterion(reply: str, value: float) -> None:
    assert _value(_judge("{type: integer, min: 1, max: 5}", "coherence"), reply) == value


@pytest.mark.parametrize(
    ("reply", "value"),
    [("Oui", True), ("non", False), ("Sí.", True), ("Não", False), ("Sim, é fiel.", True)],
)
def test_yes_and_no_of_other_languages(reply: str, value: bool) -> None:
    assert _value(YES_NO, reply) is value
