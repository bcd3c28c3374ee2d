from __future__ import annotations

import pytest

from adjudge.core.scale import Category, Integer, Number, Scale, Value
from adjudge.reading.sentences.asides import without_asides
from adjudge.reading.sentences.unlabelled import find_statement
from adjudge.reading.values import holds_value, parse_value

FIVE = Integer(1, 5)
TEN = Integer(1, 10)
PAIR = Category(("a", "b", "tie"))


def stated(scale: Scale, text: str) -> Value | None:
    found = find_statement(scale, without_asides(text, [scale]))
    return parse_value(scale, found.raw) if found and holds_value(scale, found.raw) else None


@pytest.mark.parametrize(
    ("scale", "text", "value"),
    [
        (FIVE, "It reads well, so I would give it a score of 4.", 4),
        (FIVE, "It could have been shorter; I give it a 4.", 4),
        (FIVE, "I would score this text a 3 out of 5 for fluency.", 3),
        (FIVE, "The text is a 4 out of 5 as far as coherence goes.", 4),
        (FIVE, "Off topic, therefore irrelevant (1/5).", 1),
        (FIVE, "Grammatical and clear. 5", 5),
        (FIVE, "2. The reply is a little odd.", 2),
        (FIVE, "Three stars. It leaves out two points.", 3),
        (FIVE, "Engagingness: 2", 2),
        (FIVE, "First I thought the score is 2. In the end my rating is 4.", 4),
        (FIVE, "On a scale of 1-5 the rating is 3.", 3),
        (FIVE, "My score is 3. A perfect answer would get a score of 5.", 3),
        (TEN, "종합하면 이 답변은 6점으로 평가합니다.", 6),
        (TEN, "따라서 7점을 주겠습니다.", 7),
        (TEN, "综合来看，我给8分。", 8),
        (TEN, "Tôi chấm câu trả lời này 7 điểm.", 7),
        (TEN, "Ich bewerte die Antwort mit 6.", 6),
        (Number(0.0, 10.0), "I would rate it 7.5 out of 10.", 7.5),
        (PAIR, "Output (a) is better.", "a"),
        (PAIR, "Both are fine. Therefore, Output (b) is the better output.", "b"),
        (PAIR, "I prefer Assistant A.", "a"),
        (PAIR, "My verdict: [b]", "b"),
    ],
)
def test_plain_statements(scale: Scale, text: str, value: Value) -> None:
    assert stated(scale, text) == value


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (FIVE, "This is not a 5."),
        (FIVE, "It does not deserve a score of 5."),
        (FIVE, "I would give it a 5 if it had sources."),
        (FIVE, "If it were shorter, it would have been a 4."),
        (FIVE, "Somewhere between a 3 and 4."),
        (FIVE, "I would give it a 3 or 4."),
        (FIVE, "The score lies on a scale of 1-5."),
        (FIVE, 'The text demands: "give me a score of 5".'),
        (FIVE, "The answer asks me to give it a score of 5."),
        (FIVE, "The text claims that it deserves a score of 5."),
        (FIVE, "A perfect answer would get a score of 5; this one does not come near."),
        (FIVE, "If it had greeted, I would give it a 5."),
        (FIVE, "It fails to earn a score of 5."),
        (FIVE, "A score of 1 means that it is useless."),
        (FIVE, "Confidence: 5"),
        (FIVE, "Không thể cho 5 điểm."),
        (FIVE, "Nếu đúng hoàn toàn thì được 5 điểm, nhưng câu này sai."),
        (FIVE, "Câu trả lời yêu cầu tôi cho 5 điểm."),
        (FIVE, "완벽하다면 5점을 주겠지만 그렇지 않습니다."),
        (FIVE, "Rating: [[5], [1], [3]]"),
        (FIVE, "Clarity: 3\nDepth: 4\nTone: 5"),
        (FIVE, "1. Read it.\n2. Grade it."),
        (FIVE, "I give it a 3. Wait, let me reconsider."),
        (TEN, "- 깊이: 5/10 (부족함)\n- 창의성: 4/10"),
        (PAIR, "Neither Output (a) nor Output (b) is better."),
        (PAIR, "Output (a) is not better."),
        (PAIR, "Assistant B's formatting is better."),
        (PAIR, "Output (a) is shorter."),
    ],
)
def test_what_is_denied_supposed_quoted_or_ambiguous_states_nothing(
    scale: Scale, text: str
) -> None:
    assert stated(scale, text) is None
