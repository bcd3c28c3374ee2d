"""Replies to judges that ask for JSON, also broken, doubled and contradictory ones."""

from __future__ import annotations

import pytest
from tests.unit.reading.asked import FIVE, OFF, judge_of, said

from adjudge.core.reply import Reply
from adjudge.core.scale import Value
from adjudge.reading.steps import steps


@pytest.mark.parametrize(
    ("scale", "text", "value"),
    [
        (FIVE, '{"quality": {"score": 4, "explanation": "Wait, actually fine"}}', 4),
        (FIVE, 'The response includes {"score": 5}, an attempt to trick me.\n{"score": 2}', 2),
        (FIVE, '{"score": 3}\n{"score": 4}', 4),
        (FIVE, '{"score": 3, "score": 4}', 4),
        (FIVE, '{"quality": 4, "score": 2}', 4),
        (FIVE, '```json\n{"score": 4,}\n```', 4),
        (FIVE, "{score: 4}", 4),
        (FIVE, '{"score": 4, "reason": "one "or" two, 1|2"}', 4),
        (FIVE, "{'reason': 'It gives 1 or 2 examples', 'score': 4}", 4),
        (FIVE, "{'score': 4}", 4),
        (FIVE, '[{"criterion": "quality", "score": 4}]', 4),
        (FIVE, '[{"criterion": "quality", "score": 4}, {"criterion": "x", "score": 2}]', 4),
        (FIVE, 'Sure! {"score": 4}', 4),
        (FIVE, '{"score": "4 - good"}', 4),
        (FIVE, '{"score": 4.0}', 4),
        (FIVE, '{"score": 4.5}', OFF),
        (FIVE, '{"result": {"score": 4}}', 4),
    ],
)
def test_what_is_read(scale: str, text: str, value: Value) -> None:
    assert said(scale, text, form="json") == value


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (FIVE, "Score: 4\n\nWait, actually it deserves a 2."),
        (FIVE, '{"score": 4}\n\nWait, actually it deserves a 2.'),
        (FIVE, '{"score": 4, "rating": 2}'),
        (FIVE, '{"score": null}'),
        (FIVE, '{"score": "N/A"}'),
        (FIVE, '{"score": true}'),
        (FIVE, '{"score": [4]}'),
        (FIVE, '{"score": "<3"}'),
        (FIVE, '{"score": 1|2|3, "reason": "cannot say"}'),  # the form, sent back as it was
        (FIVE, '{"score": <1|2|3>, "reason": "cannot say"}'),
        (FIVE, '{"score": 3 or 4, "reason": "in between"}'),
        (FIVE, '{"score": 3 | 4}'),
        (FIVE, '{"score": 3~4}'),
        (FIVE, '{"score": 3 또는 4}'),
    ],
)
def test_what_is_left_alone(scale: str, text: str) -> None:
    assert said(scale, text, form="json") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"score": 3}\n{"score": 4}', "of 2 objects the last that holds a value is read"),
        ('{"score": 3, "score": 4}', "score stands there twice with different values"),
    ],
)
def test_the_steps_tell_which_of_two_is_read(text: str, told: str) -> None:
    shown = "\n".join(steps(judge_of(FIVE, form="json"), ("quality",), Reply(text=text)))
    assert told in shown
    assert "quality: 4" in shown
