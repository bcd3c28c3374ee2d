"""Grades that lie between two others, and ranges that are none."""

from __future__ import annotations

import pytest
from tests.unit.reading.asked import ANY_FIVE, ANY_TEN, FIVE, HUNDRED, LEVELS, said

from adjudge.core.scale import Value


@pytest.mark.parametrize(
    ("scale", "text", "value"),
    [
        (ANY_FIVE, "between 3 and 4", 3.5),
        (ANY_FIVE, "Score: between 3 and 4", 3.5),
        (ANY_FIVE, "I would rate it somewhere between a 3 and a 4.", 3.5),
        (ANY_FIVE, "이 답변은 3점과 4점 사이입니다.", 3.5),
        (ANY_FIVE, "3~4점", 3.5),
        (ANY_FIVE, "점수: 3~4점", 3.5),
        (ANY_FIVE, "3점에서 4점 사이로 평가합니다.", 3.5),
        (ANY_FIVE, "Điểm: giữa 3 và 4", 3.5),
        (ANY_FIVE, "từ 3 đến 4 điểm", 3.5),
        (ANY_FIVE, "Điểm nằm giữa 3 và 4.", 3.5),
        (ANY_FIVE, "评分在3到4之间。", 3.5),
        (ANY_FIVE, "3到4之间", 3.5),
        (ANY_FIVE, "評価は3と4の間です。", 3.5),
        (ANY_FIVE, "3と4の間", 3.5),
        (ANY_FIVE, "zwischen 3 und 4", 3.5),
        (ANY_FIVE, "Ich bewerte die Antwort zwischen 3 und 4.", 3.5),
        (HUNDRED, "Score: between 70 and 80", 75),
        (ANY_TEN, "I'd give this between 7 and 8 points.", 7.5),
        (ANY_TEN, "이 글은 4–5점 구간의 수준입니다.\n\n5", 5),
    ],
)
def test_what_is_read(scale: str, text: str, value: Value) -> None:
    assert said(scale, text) == value


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (FIVE, "between 3 and 4"),
        (FIVE, "Score: between 3 and 4"),
        (LEVELS, "Score: between 3 and 4"),
        (FIVE, "I would rate it somewhere between a 3 and a 4."),
        (ANY_FIVE, "3-4"),
        (ANY_FIVE, "3 or 4"),
        (ANY_FIVE, "Score: 3-4"),
        (FIVE, "Score: 3-4"),
        (ANY_FIVE, "The score is between 1 and 5."),
        (ANY_FIVE, "Score: between 1 and 5"),
        (ANY_TEN, "a number between 0 and 10"),
        (FIVE, "3~4점"),
        (ANY_FIVE, "1~5점"),
        (ANY_FIVE, "từ 1 đến 5 điểm"),
        (FIVE, "Điểm nằm giữa 3 và 4."),
        (FIVE, "评分在3到4之间。"),
        (FIVE, "Ich bewerte die Antwort zwischen 3 und 4."),
        (ANY_FIVE, "Bewertung: zwischen 1 und 5"),
        (HUNDRED, "Score: between 20 and 80"),
        (FIVE, "First I thought 4. In the end my score is between 3 and 4."),
    ],
)
def test_what_is_left_alone(scale: str, text: str) -> None:
    assert said(scale, text) is None
