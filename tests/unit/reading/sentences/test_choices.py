"""Which of two answers a reply prefers."""

from __future__ import annotations

import pytest
from tests.unit.reading.asked import ARENA, OUTPUTS, PAIR, said

from adjudge.core.scale import Value


@pytest.mark.parametrize(
    ("scale", "text", "value"),
    [
        (PAIR, "A is better than B.", "A"),
        (PAIR, "It's a tie.", "tie"),
        (PAIR, "Both did well, so I call it a tie.", "tie"),
        (PAIR, "This is a tie between two excellent answers.", "tie"),
        (PAIR, "A tie would be unfair: Assistant B is better.", "B"),
        (OUTPUTS, "Output (b)\n\nThe reason is that it follows the instruction.", "b"),
        (OUTPUTS, "**Output (a)**\n\nIt is precise.", "a"),
        (PAIR, "My final verdict is: [[B]]", "B"),
        (PAIR, "[[C]]", "tie"),
        (PAIR, "Assistant A wins: [[A]]", "A"),
        (ARENA, "My final verdict is: Assistant A is slightly better: [[A>B]]", "A>B"),
        (ARENA, "[[A>>B]]", "A>>B"),
        (PAIR, "My final verdict is: Assistant A is significantly better: [[A>>B]]", "A"),
        (PAIR, "[[B>A]]", "B"),
        (PAIR, "[[A=B]]", "tie"),
        (PAIR, "[[A<B]]", "B"),
        (OUTPUTS, "Output (a)", "a"),
        (OUTPUTS, "b", "b"),
        (OUTPUTS, "(b)", "b"),
        (OUTPUTS, "Output (a) is better because it is more concise.", "a"),
        (OUTPUTS, "Therefore, Output (b) is better.", "b"),
        (PAIR, "So, the final decision is Response B.", "B"),
        (PAIR, "So, the final decision is Tie.", "tie"),
        (PAIR, "Assistant A is better at style, but Assistant B is better overall.", "B"),
        (PAIR, "Some would say Assistant A is better, but I choose Assistant B.", "B"),
        (PAIR, "Neither is better; it's a draw.", "tie"),
        (PAIR, "Overall, Assistant A's response is more helpful.", "A"),
        (PAIR, "Winner: B", "B"),
        (PAIR, "Winner: Assistant B", "B"),
        (PAIR, "Better: A", "A"),
        (PAIR, "Preferred: Response A", "A"),
        (PAIR, "Verdict: Tie", "tie"),
        (PAIR, "A", "A"),
        (PAIR, "Answer A is the clear winner.", "A"),
        (PAIR, "I prefer Answer B over Answer A.", "B"),
        (PAIR, "The better response is Assistant A's.", "A"),
        (PAIR, "B > A", "B"),
        (PAIR, "I think B is slightly better.", "B"),
        (PAIR, "Between A and B, B is better.", "B"),
        (PAIR, "A and B are tied.", "tie"),
        (PAIR, "If I had to choose, I would choose Assistant B.", "B"),
        (PAIR, "A is better. Actually, B is better.", "B"),
        (PAIR, "[[A]] is wrong. [[B]]", "B"),
    ],
)
def test_what_is_read(scale: str, text: str, value: Value) -> None:
    assert said(scale, text) == value


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (PAIR, "A is better in tone. B is better in facts."),
        (PAIR, "Assistant A is better in tone. Assistant B is better in facts."),
        (PAIR, "It is not a tie."),
        (PAIR, 'Output your verdict as "[[A]]" or "[[B]]".'),
        (PAIR, "Assistant A's answer is worse than Assistant B's."),
        (PAIR, "It is hard to say that Assistant A is better."),
        (PAIR, "Would Assistant A be better? No."),
        (PAIR, "Is Assistant A better?"),
        (PAIR, "Assistant A would be better if it were shorter."),
        (PAIR, "Neither Assistant A nor B is better."),
        (PAIR, "Overall, Assistant A's response is more verbose."),
        (PAIR, "Overall, Assistant A's response is more detailed, but Assistant B's is correct."),
        (PAIR, "Overall, Assistant A's response is more helpful. Assistant B, however, is right."),
        (PAIR, "Choice: neither"),
        (PAIR, "A good answer would mention B."),
        (PAIR, "Model A wins. Wait, I mixed them up."),
        (OUTPUTS, "a better answer exists"),
        (PAIR, "My choice: A or B"),
        (PAIR, "A/B"),
        (PAIR, "Assistant A: 8\nAssistant B: 6"),
        (PAIR, "Assistant A is better? Not at all."),
    ],
)
def test_what_is_left_alone(scale: str, text: str) -> None:
    assert said(scale, text) is None
