from __future__ import annotations

import pytest

from adjudge.core.scale import (
    Binary,
    Category,
    Integer,
    Level,
    NotAValue,
    Number,
    OffScale,
    Ordinal,
    Scale,
    Value,
)
from adjudge.reading.values import parse_value

FIVE = Integer(1, 5)
TEN = Number(0.0, 10.0)
HELP = Ordinal(dict(enumerate(map(Level, ("terrible", "unhelpful", "helpful", "excellent")), 1)))
PAIR = Category(("a", "b", "tie"))


@pytest.mark.parametrize(
    ("scale", "text", "value"),
    [
        (FIVE, "4", 4),
        (FIVE, "4.0", 4),
        (FIVE, " **4** ", 4),
        (FIVE, "[[4]]", 4),
        (FIVE, "4/5", 4),
        (FIVE, "4 / 5 points", 4),
        (FIVE, "4 out of 5", 4),
        (FIVE, "4점", 4),
        (FIVE, "4점 / 5점", 4),
        (FIVE, "４", 4),
        (FIVE, "4 (good)", 4),
        (FIVE, "4.", 4),
        (FIVE, "4 - polite throughout", 4),
        (TEN, "8,5", 8.5),
        (TEN, "8.5 điểm", 8.5),
        (TEN, "8.5/10", 8.5),
        (TEN, "8,5 trên 10", 8.5),
        (HELP, "helpful", 3),
        (HELP, "Excellent", 4),
        (HELP, "3 (helpful)", 3),
        (HELP, "2: unhelpful", 2),
        (Binary(), "Yes", True),
        (Binary(), "không", False),
        (Binary(), "아니요", False),
        (Binary(), True, True),
        (PAIR, "[[A]]", "a"),
        (PAIR, "Assistant B", "b"),
        (PAIR, "Answer A.", "a"),
        (PAIR, "Tie", "tie"),
        (PAIR, "b (clearly better)", "b"),
    ],
)
def test_values_as_people_write_them(scale: Scale, text: object, value: Value) -> None:
    found = parse_value(scale, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("scale", "text"),
    [(FIVE, "6"), (FIVE, 0), (FIVE, "3.5"), (FIVE, 3.5), (TEN, "10.5"), (TEN, -1), (HELP, "5")],
)
def test_a_number_off_the_scale_is_never_clamped(scale: Scale, text: object) -> None:
    with pytest.raises(OffScale):
        parse_value(scale, text)


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (FIVE, "3 or 4"),
        (FIVE, "3-4"),
        (FIVE, "3~4"),
        (FIVE, "1|2|3"),
        (FIVE, "3 | 4"),
        (FIVE, "1..5"),
        (FIVE, "3 또는 4"),
        (FIVE, "3或4"),
        (FIVE, "4, 5"),
        (FIVE, "4/10"),
        (FIVE, "around four"),
        (FIVE, ""),
        (FIVE, True),
        (FIVE, None),
        (FIVE, "nan"),
        (FIVE, "inf"),
        (FIVE, [4]),
        (HELP, "2 (excellent)"),
        (HELP, "good"),
        (Binary(), "maybe"),
        (PAIR, "both"),
        (PAIR, "A response should be short."),
        (PAIR, "Assistant A is not better than Assistant B."),
        (Binary(), "Yes and no."),
        (PAIR, "c"),
    ],
)
def test_what_is_not_plainly_a_value_is_not_read(scale: Scale, text: object) -> None:
    with pytest.raises(NotAValue):
        parse_value(scale, text)
