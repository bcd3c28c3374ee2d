from __future__ import annotations

import pytest

from adjudge.core.label import DRAWS, Label, range_of, value_of
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
)

RATING = Ordinal({1: Level("terrible"), 2: Level("unhelpful"), 4: Level("excellent")})
WINNER = Category(("a", "b", "tie"))


@pytest.mark.parametrize(
    ("scale", "raw", "value"),
    [
        (RATING, " Excellent ", 4.0),
        (RATING, "2", 2.0),
        (RATING, 2.0, 2.0),
        (RATING, "1,67", 1.67),  # a mean over three people
        (RATING, 3, 3.0),
        (Integer(0, 10), "４", 4.0),
        (Integer(0, 10), 9.5, 9.5),
        (Number(0, 10), "8,5", 8.5),
        (Binary(), "yes", 1.0),
        (Binary(), "không", 0.0),
        (Binary(), True, 1.0),
        (Binary(), "0.0", 0.0),
        (WINNER, "TIE", "tie"),
    ],
)
def test_values_as_people_write_them(scale: Scale, raw: object, value: float | str) -> None:
    found = value_of(scale, raw)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("scale", "raw", "why"),
    [
        (RATING, "good", "'good' is none of 1 terrible, 2 unhelpful, 4 excellent"),
        (RATING, 4.5, "4.5 lies outside 1 terrible, 2 unhelpful, 4 excellent"),
        (Integer(1, 5), "0", "0 lies outside 1 to 5"),
        (Number(0, 10), 10.5, "10.5 lies outside 0 to 10"),
        (Number(0, 10), "nan", "'nan' is none of 0 to 10"),
        (Binary(), 0.67, "0.67 is none of yes, no"),
        (Integer(1, 5), True, "True is none of 1 to 5"),
        (WINNER, "c", "'c' is none of a, b, tie"),
    ],
)
def test_anything_else_is_no_label(scale: Scale, raw: object, why: str) -> None:
    with pytest.raises(NotAValue) as error:
        value_of(scale, raw)
    assert str(error.value) == why


def test_off_the_scale_is_told_apart() -> None:
    with pytest.raises(OffScale):
        value_of(Integer(1, 5), 6)


def test_only_what_was_picked_does_not_stand_for_all() -> None:
    assert [Label("1", "", "x", 1.0, draw).picked for draw in DRAWS] == [False, False, True, True]


def test_wording_of_every_scale() -> None:
    assert str(range_of(Number(0.5, 10))) == "0.5 to 10"
    assert str(range_of(Binary())) == "yes, no"
