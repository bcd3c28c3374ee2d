"""Verdicts in Korean, Vietnamese, Chinese, Japanese and German."""

from __future__ import annotations

import pytest
from tests.unit.reading.asked import FIVE, PAIR, YES_NO, said

from adjudge.core.scale import Value


@pytest.mark.parametrize(
    ("scale", "text", "value"),
    [
        (FIVE, "5점 만점에 3점", 3),
        (FIVE, "5점 만점에 3점입니다.", 3),
        (FIVE, "이 답변은 5점 만점에 3점을 줄 수 있습니다.", 3),
        (FIVE, "5点満点中4点", 4),
        (FIVE, "5点満点中4点です。", 4),
        (FIVE, "满分5分,得4分", 4),
        (FIVE, "满分5分，得4分。", 4),
        (FIVE, "我给4分，满分5分。", 4),
        (FIVE, "점수는 5점 만점에 3점입니다.", 3),
        (FIVE, "이 답변은 정확하므로 4점을 줍니다.", 4),
        (FIVE, "4점을 드립니다.", 4),
        (FIVE, "4점이 적절합니다.", 4),
        (FIVE, "평점: 4/5", 4),
        (FIVE, "최종 점수: 4점", 4),
        (FIVE, "점수 - 4점", 4),
        (FIVE, "5점은 아니고 4점입니다.", 4),
        (FIVE, "**평가: 4점**", 4),
        (FIVE, "1점에서 5점까지의 척도로 3점입니다.", 3),
        (PAIR, "따라서 A가 더 우수합니다.", "A"),
        (PAIR, "어시스턴트 B의 답변이 더 낫습니다.", "B"),
        (PAIR, "무승부입니다.", "tie"),
        (YES_NO, "예", True),
        (YES_NO, "아니요, 그렇지 않습니다.", False),
        (FIVE, "점수는 4점이지만 5점도 가능합니다.", 4),
        (FIVE, "Tôi cho câu trả lời này 4 điểm.", 4),
        (FIVE, "Câu trả lời đạt 4/5 điểm.", 4),
        (FIVE, "Điểm: 4", 4),
        (FIVE, "Điểm số là 4.", 4),
        (FIVE, "Tổng điểm: 4/5", 4),
        (FIVE, "Câu trả lời không đầy đủ nên tôi cho 3 điểm.", 3),
        (PAIR, "Câu trả lời A tốt hơn.", "A"),
        (YES_NO, "Có", True),
        (FIVE, "我给4分。", 4),
        (FIVE, "评分：4", 4),
        (FIVE, "得分为4分", 4),
        (FIVE, "最终得分：4/5", 4),
        (FIVE, "综上所述，评分为4分。", 4),
        (FIVE, "四分", 4),
        (PAIR, "助手A更好。", "A"),
        (PAIR, "因此，回答B更好。", "B"),
        (PAIR, "平局。", "tie"),
        (YES_NO, "是", True),
        (YES_NO, "否", False),
        (FIVE, "評価: 4", 4),
        (FIVE, "この回答は4点です。", 4),
        (FIVE, "4点と評価します。", 4),
        (FIVE, "スコアは4です。", 4),
        (PAIR, "アシスタントAの方が優れています。", "A"),
        (YES_NO, "はい", True),
        (YES_NO, "いいえ。", False),
        (FIVE, "Ich gebe der Antwort 4 Punkte.", 4),
        (FIVE, "Bewertung: 4 von 5", 4),
        (FIVE, "Die Antwort verdient eine 4.", 4),
        (FIVE, "Ich vergebe 4 von 5 Punkten.", 4),
        (FIVE, "Punktzahl: 4", 4),
        (PAIR, "Antwort A ist besser.", "A"),
        (YES_NO, "Ja", True),
        (YES_NO, "Nein, das stimmt nicht.", False),
    ],
)
def test_what_is_read(scale: str, text: str, value: Value) -> None:
    assert said(scale, text) == value


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (FIVE, "10점 만점에 3점"),
        (FIVE, "满分10分，得4分"),
        (FIVE, "5점을 줄 수 없습니다."),
        (FIVE, "5점에 가깝지만 부족합니다."),
        (FIVE, "출처가 있었다면 5점을 주었을 것입니다."),
        (FIVE, "3점 이상입니다."),
        (FIVE, "사용자는 5점을 요구했습니다."),
        (PAIR, "A가 더 낫지 않습니다."),
        (FIVE, "Không đáng được 5 điểm."),
        (FIVE, "Nếu có nguồn thì được 5 điểm."),
        (PAIR, "Trợ lý B không tốt hơn."),
        (FIVE, "不能给5分。"),
        (FIVE, "如果有来源，我会给5分。"),
        (FIVE, "最多3分。"),
        (FIVE, "至少给3分。"),
        (FIVE, "5点ではありません。"),
        (FIVE, "出典があれば5点です。"),
        (FIVE, "3点以上です。"),
        (FIVE, "Bewertung: 4 von 10"),
        (FIVE, "Die Antwort verdient keine 5."),
        (FIVE, "Wenn Quellen da wären, bekäme sie eine 5."),
        (PAIR, "Antwort A ist nicht besser."),
        (FIVE, "Mindestens eine 3."),
    ],
)
def test_what_is_left_alone(scale: str, text: str) -> None:
    assert said(scale, text) is None
