"""Replies in the forms that well-known judging prompts ask for."""

from __future__ import annotations

import pytest
from tests.unit.reading.asked import ANY_TEN, CORRECT, GATE, OFF, TEN, YES_NO, ZERO_ONE, said

from adjudge.core.scale import Value


@pytest.mark.parametrize(
    ("scale", "text", "value"),
    [
        (YES_NO, "The reply insults the customer twice.\n\nY", True),
        (YES_NO, "It is grounded in the text.\nN", False),
        (YES_NO, "Yes. The reply is polite.", True),
        (
            YES_NO,
            "No, since it insults the customer. It also forgets the greeting and the thanks.",
            False,
        ),
        (YES_NO, "Correct", True),
        (YES_NO, "PASS", True),
        (YES_NO, "FAIL", False),
        (YES_NO, "Verdict: Incorrect", False),
        (YES_NO, "The final answer is: no", False),
        (YES_NO, "GRADE: CORRECT", True),
        (YES_NO, "**Verdict:** Yes — grounded", True),
        (ZERO_ONE, "Rating:\nGroundedness: 0", 0),
        (TEN, "The assistant's answer is helpful, accurate and detailed.\n\nRating: [[8]]", 8),
        (TEN, "Rating: [[8]] (the second turn: 6)", 8),
        (TEN, "[[8/10]]", 8),
        (TEN, "Rating: [[9.5]]", OFF),
        (ANY_TEN, "Rating: [[9.5]]", 9.5),
        (TEN, "I would rate it 7. Rating: [[7]]", 7),
        (TEN, "My rating is [[6]].", 6),
        (TEN, "**Rating: [[5]]**", 5),
        (TEN, "Rating: 8/10", 8),
        (TEN, "Rating: [8]", 8),
        (TEN, "Rating: [[5]]", 5),
        (TEN, '{"strengths": "clear", "weaknesses": "short", "score": "7"}', 7),
        (TEN, '{"strengths": "clear", "weaknesses": "short", "score": "7/10"}', 7),
        (ANY_TEN, "Criteria: relevance\nSupporting Evidence: It answers.\nScore: 8", 8),
        (ANY_TEN, "8", 8),
        (ANY_TEN, "Score: 10", 10),
        (ANY_TEN, "I rate it 7.5 out of 10.", 7.5),
        (ANY_TEN, "TOTAL SCORE: 6.5", 6.5),
        (ANY_TEN, "Score: 8.0", 8),
        (CORRECT, "Correct", "Correct"),
        (CORRECT, "The answer matches the reference. Verdict: Correct", "Correct"),
        (CORRECT, "INCORRECT", "Incorrect"),
        (CORRECT, "GRADE: INCORRECT", "Incorrect"),
        (CORRECT, "Incorrect. The year is wrong.", "Incorrect"),
        (GATE, "PASS", "PASS"),
        (GATE, "Result: FAIL", "FAIL"),
        (GATE, "Reasoning here.\n\nFAIL", "FAIL"),
        (YES_NO, "Không.", False),
    ],
)
def test_what_is_read(scale: str, text: str, value: Value) -> None:
    assert said(scale, text) == value


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (YES_NO, "No problem at all: it is correct."),
        (YES_NO, "Yes and no."),
        (YES_NO, "Not really."),
        (YES_NO, "It gives 1 example."),
        (YES_NO, "The answer to the question is no longer valid."),
        (TEN, "Rating: [[rating]]"),
        (GATE, "The output does not pass."),
    ],
)
def test_what_is_left_alone(scale: str, text: str) -> None:
    assert said(scale, text) is None
