"""Forms that replies of other projects' judges take, in our own words."""

from __future__ import annotations

import pytest
from tests.unit.reading.asked import (
    ANY_FIVE,
    ANY_TEN,
    FIVE,
    HUNDRED,
    LEVELS,
    OFF,
    OUTPUTS,
    PAIR,
    TEN,
    YES_NO,
    said,
)

from adjudge.core.scale import Value

LETTERS = "{type: category, options: [A, B, C]}"
TWO = "{type: category, options: ['1', '2', tie]}"
MODELS = "{type: category, options: [model_a, model_b, tie]}"
ASSISTANTS = "{type: category, options: [Assistant 1, Assistant 2, tie]}"
GRADED = "{type: category, options: [CORRECT, INCORRECT, NOT_ATTEMPTED]}"

CHOSEN = [
    # a letter that stands for a sentence
    (LETTERS, "A: Text 1 is clearly better.\n\nReason: Text 1 is precise, Text 2 is not.", "A"),
    (PAIR, "B: Feedback 2 is significantly better.\n\nFeedback 1 lacks detail.", "B"),
    (PAIR, "C: Neither is significantly better.\n\nBoth help.", "tie"),
    (PAIR, "Choice: C", "tie"),
    # options by the letter or digit in their name
    (MODELS, "Winner: Model B", "model_b"),
    (MODELS, "[[A]]", "model_a"),
    (MODELS, "[[C]]", "tie"),
    (MODELS, "[[B>>A]]", "model_b"),
    (MODELS, '{"winner": "A", "reason": "It is right."}', "model_a"),
    (ASSISTANTS, "Overall, Assistant 2's response is better than Assistant 1's.", "Assistant 2"),
    (ASSISTANTS, "ASSISTANT 1", "Assistant 1"),
    (TWO, "The better response is 2.", "2"),
    (TWO, "1\n\n### Reason: Both are alike, but Response 2 is more detailed.", "1"),
    (TWO, "Tie\n\n### Reason: Both responses say the same.", "tie"),
    (GRADED, "The answer names no year.\n\nNot attempted", "NOT_ATTEMPTED"),
    # sentences
    (PAIR, "A is better in style while B is better in facts.\n\nOverall, I choose B.", "B"),
    (PAIR, "I prefer A as it is more concise.", "A"),
    (PAIR, "I would go with B here.", "B"),
    (PAIR, "B seems better for this purpose.", "B"),
    (PAIR, "Response B is wrong. So A wins.", "A"),
    (PAIR, "A: 7, B: 9. Therefore B is better.", "B"),
    (PAIR, "Therefore, the winner is: B", "B"),
    (PAIR, "Therefore [[B]] is better than [[A]].", "B"),
    (PAIR, "Response A is fine. Response B is significantly better.", "B"),
    (PAIR, "Both responses are equally good.", "tie"),
    (PAIR, "Better response: **B**", "B"),
    (PAIR, "최종 판단: A", "A"),
    (PAIR, "最終判断: B", "B"),
    (OUTPUTS, "Both do well, but Output (b) is more precise. [RESULT] b", "b"),
    (OUTPUTS, "My choice is (b).", "b"),
    (PAIR, "<answer>A</answer>", "A"),
    (YES_NO, "#Your Judgement#: Yes", True),
]
GRADES = [
    (TEN, "It is right.\n\nRating: [[10]]\n\nConfidence: 95%", 10),
    (TEN, "It earns [[9]].\n\nWith sources it could be improved further, earning a [[10]].", 9),
    (TEN, "It would need sources to get a [[10]].\n\nRating: [[7]]", 7),
    (TEN, "First turn: [[5]]\nWhile it could be improved, my final rating is [[7]]", 7),
    (TEN, "I would rate it 3. This is how to mend it:\n```python\nrows = [[5]]\n```", 3),
    (TEN, "Rating:{5}.", 5),
    (TEN, "与参考答案一致。\n{'事实正确性': 8, '清晰度': 9, '综合得分': 7}", 7),
    (TEN, "清晰度：9分\n综合得分：7分", 7),
    (ANY_TEN, "MY FINAL SCORE: <points>6.5</points>\nMY FINAL DECISION: <d>Accept</d>", 6.5),
    (ANY_FIVE, "4.5\nThe answer covers 3 points.", 4.5),
    (TEN, "| Aspect | Score |\n|---|---|\n| Style | 6 |\n| **Total** | **7** |", 7),
    (HUNDRED, "Score: 85%", 85),
    (HUNDRED, "```\n95\n```", 95),
    (FIVE, "Some reasons.\n\n#### 4", 4),
    (FIVE, "Score — 4", 4),
    (FIVE, "<answer>4</answer>", 4),
    (FIVE, "Rating: ★★★★☆", 4),
    (FIVE, "⭐⭐⭐", 3),
    (FIVE, "**1. Evaluation:** Fine.\n**2. Score:** 4", 4),
    (FIVE, "**1. Evaluation**\nFine.\n\n**2. Score**\n4", 4),
    (FIVE, "Score 3: fair\nScore 4: good\n\nSo the score is 4.", 4),
    (FIVE, "Score 5: The text is complete and clear.", 5),
    (
        FIVE,
        "Score: 4\nFinal evaluation: calm, friendly and polite, with a thanks for each of 3 visits",
        4,
    ),
    (FIVE, "Feedback: It says [RESULT] 5 itself, but is weak. [RESULT] 2", 2),
    (FIVE, "Rating: 4.5/5", OFF),
    (LEVELS, "Total rating: 4, excellent", 4),
    (LEVELS, "Total rating: 1. An excellent question, but the answer is terrible.", 1),
]
LEFT_ALONE = [
    # the grades of two
    (TEN, "8 7"),
    (TEN, "8 9\n\nAssistant 2 is more detailed and so received a slightly higher score."),
    (TEN, "Score A: 8 Score B: 7"),
    (TEN, "Score A: 8\nScore B: 7"),
    (TEN, "The score of Assistant 1: 9\nThe score of Assistant 2: 7"),
    (TEN, "Assistant 1 gets a score of 1. Assistant 2 is right and gets a score of 10."),
    (TEN, "| Aspect | A | B |\n|---|---|---|\n| Total | 7 | 8 |"),
    (PAIR, "A: 7, B: 9"),
    (PAIR, "A: It is better in tone.\nB: It is longer."),
    # the scale, repeated
    (FIVE, "Score 1: bad\nScore 2: weak\nScore 3: fair\nScore 4: good\nScore 5: great"),
    (TEN, "Overall Score: 36/40"),
    (FIVE, "Score: 80%"),
    (TEN, "Rating: ★★★★☆"),
    # number and label
    (LEVELS, "Total rating: 1, excellent"),
    (LEVELS, "Total rating: 1 (excellent)"),
    (LEVELS, "Total rating: excellent (1)"),
    (LEVELS, "I would rate it 1, excellent."),
    # what the judged answers say, and articles
    (PAIR, "The correct answer is B. Assistant A's answer is A. Assistant B's answer is B."),
    (PAIR, "The decision is a difficult one."),
    (OUTPUTS, "The choice is a hard one."),
    (PAIR, "Both assistants are equally helpful. However, Assistant A is more detailed."),
    (PAIR, "Both answers are equally wrong."),
    (PAIR, "A is better known as the first letter."),
    (FIVE, "<answer>There are 4 of them, and the fifth is lost.</answer>"),
]


@pytest.mark.parametrize(("scale", "text", "value"), [*CHOSEN, *GRADES])
def test_what_is_read(scale: str, text: str, value: Value) -> None:
    assert said(scale, text) == value


@pytest.mark.parametrize(("scale", "text"), LEFT_ALONE)
def test_what_is_left_alone(scale: str, text: str) -> None:
    assert said(scale, text) is None
