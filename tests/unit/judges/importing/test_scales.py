from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import Imported
from adjudge.judges.importing.options import parse_scale
from adjudge.judges.importing.scales import find_scale

Import = Callable[..., Imported]


def whole(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "min": low, "max": high}


def choice(*options: str) -> dict[str, Any]:
    return {"type": "category", "options": list(options)}


def real(low: float, high: float) -> dict[str, Any]:
    return {"type": "number", "min": low, "max": high}


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("Rate it on a scale of 1-5.", whole(1, 5)),
        ("Rate it on a scale from 1 to 10.", whole(1, 10)),
        ("Give a score between 0 and 100.", whole(0, 100)),
        ("Give a score between 0 and 1 as a float.", real(0, 1)),
        ("Fluency (1–7): how well it reads.", whole(1, 7)),
        ("Give 1 to 5 stars.", whole(1, 5)),
        ("Rate from 1 (worst) to 5 (best).", whole(1, 5)),
        ("Your score: -2 to 2", whole(-2, 2)),
        ("Chấm điểm từ 0.0 đến 10.0.", real(0, 10)),
        ("Theo thang điểm từ 1 đến 5.", whole(1, 5)),
        ("1부터 5까지 점수를 매기세요.", whole(1, 5)),
        ("1점에서 5점 사이로 평가하세요.", whole(1, 5)),
        ("점수는 1~10점입니다.", whole(1, 10)),
        ("请从1到5打分。", whole(1, 5)),
        ("评分范围为1分至10分。", whole(1, 10)),
        ("1から5で評価してください。", whole(1, 5)),
        ("1点から10点までのスコア", whole(1, 10)),
        ("Bewerte auf einer Skala von 1-6.", whole(1, 6)),
        ("Please rate the reply on a scale of\n1 to 7.", whole(1, 7)),
        ("Assign a score of 1, 2, 3 or 4.", whole(1, 4)),
        ("Return a verdict of 1 if it holds and 0 if it does not.", whole(0, 1)),
        ('Answer with either "factual" or "made up".', choice("factual", "made up")),
        ('Respond with "good", "fair" or "poor".', choice("good", "fair", "poor")),
        ("Grade it as PASS or FAIL.", choice("PASS", "FAIL")),
        ("Say whether it is either helpful or harmful.", choice("helpful", "harmful")),
        ('Trả lời "đúng" hoặc "sai".', choice("đúng", "sai")),
        ("“정확” 또는 “부정확”으로 답하세요.", choice("정확", "부정확")),
        ("请回答“正确”或“错误”。", choice("正确", "错误")),
        ("「適切」または「不適切」と答えてください。", choice("適切", "不適切")),
        ("Answer 'yes' or 'no'.", {"type": "binary"}),
        ("예 또는 아니오로 답하세요.", {"type": "binary"}),
        ("Trả lời có hoặc không.", {"type": "binary"}),
        ("请回答是或否。", {"type": "binary"}),
        ("「はい」か「いいえ」で答えてください。", {"type": "binary"}),
        (
            'Output "[[A]]" if A is better, "[[B]]" if B is better and "[[C]]" for a tie.',
            {"type": "category", "options": ["A", "B", "C"]},
        ),
    ],
)
def test_scales_in_words(text: str, scale: dict[str, Any]) -> None:
    found = find_scale(text)
    assert found is not None
    assert found.scale == scale


@pytest.mark.parametrize(
    "text",
    [
        "List 2-3 specific strengths.",
        "Write 1-2 sentences.",
        "It happened in 1990-1995.",
        "Say whether the answer is good.",
        "1. Read the question.\n2. Read the answer.\n3. Compare.",
        "Chapters 4-9 matter.",
        'The keys "name", "output" and "id" stand in the file.',
        "It quotes “now” or “then” in passing.",
        "Bring 1, 2 or 3 apples.",
        "Step one.\n1-5 follow later",
    ],
)
def test_other_numbers_are_no_scale(text: str) -> None:
    assert find_scale(text) is None


LEVELS = {1: "poor", 2: "fair", 3: "good"}


@pytest.mark.parametrize(
    "text",
    [
        "1: poor\n2: fair\n3: good",
        "- 3: good\n- 2: fair\n- 1: poor",
        "1 = poor\n2 = fair\n3 = good",
        "1 - poor\n2 - fair\n3 - good",
        "**1**: poor\n**2**: fair\n**3**: good",
        "Score 1: poor\nScore 2: fair\nScore 3: good",
        "1: The essay is poor.\n2: The essay is fair.\n3: The essay is good.",
    ],
)
def test_labelled_levels(text: str) -> None:
    found = find_scale(text)
    assert found is not None
    assert found.scale == {"type": "ordinal", "levels": LEVELS}


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("1점: 매우 나쁨\n2점: 보통\n3점: 매우 좋음", ["매우 나쁨", "보통", "매우 좋음"]),
        ("1 điểm: kém\n2 điểm: khá\n3 điểm: tốt", ["kém", "khá", "tốt"]),
        ("1分：差\n2分：一般\n3分：好", ["差", "一般", "好"]),
        ("1点：悪い\n2点：普通\n3点：良い", ["悪い", "普通", "良い"]),
    ],
)
def test_labelled_levels_in_other_languages(text: str, labels: list[str]) -> None:
    found = find_scale(text)
    assert found is not None
    assert list(found.scale["levels"].values()) == labels


def test_levels_with_meanings() -> None:
    found = find_scale(
        "- A score of 0 (no) means it is off topic.\n- A score of 1 (yes) means it fits."
    )
    assert found is not None
    assert found.scale["levels"][0] == {"label": "no", "meaning": "it is off topic"}


def test_levels_told_in_sentences_are_whole_numbers() -> None:
    found = find_scale(
        "1: The reply has nothing at all to do with it and misleads its reader\n"
        "2: The reply has most of what was asked and reads quite well on the whole"
    )
    assert found is not None
    assert found.scale == whole(1, 2)


def test_some_levels_of_a_wider_range_are_not_the_scale() -> None:
    found = find_scale("Score from 1 to 10.\n1: poor\n2: weak\n")
    assert found is not None
    assert found.scale == whole(1, 10)


def test_a_rival_is_reported(take: Import) -> None:
    text = "Rate from 1 to 5. Rate from 1 to 5. Once we scored from 1 to 10.\n{answer}"
    imported = take(text)
    assert "1 to 10 stands there too" in "\n".join(imported.findings.lines())


def test_no_scale_is_an_error_with_a_remedy(take: Import) -> None:
    with pytest.raises(UsageError, match="--set scale="):
        take("Say how good it is.\n{answer}")


@pytest.mark.parametrize(
    ("given", "scale"),
    [
        ("1-5", whole(1, 5)),
        ("0.0-10.0", real(0, 10)),
        ("-1..1", whole(-1, 1)),
        ("yes/no", {"type": "binary"}),
        ("a/b/tie", {"type": "category", "options": ["a", "b", "tie"]}),
        ("1=bad, 2=good", {"type": "ordinal", "levels": {1: "bad", 2: "good"}}),
    ],
)
def test_scales_that_are_set(given: str, scale: dict[str, Any]) -> None:
    assert parse_scale(given) == scale


@pytest.mark.parametrize("given", ["good", "1=", "x=bad"])
def test_no_scale_at_all(given: str) -> None:
    with pytest.raises(UsageError, match="no scale"):
        parse_scale(given)
