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
    as_truth,
)

ORDINAL = Ordinal({1: Level("terrible"), 2: Level("unhelpful"), 4: Level("excellent")})
INTEGER = Integer(1, 5)
NUMBER = Number(0.0, 10.0)
CATEGORY = Category(("a", "b", "tie"))


@pytest.mark.parametrize(
    ("scale", "raw", "value"),
    [
        (ORDINAL, 4, 4),
        (ORDINAL, "4", 4),
        (ORDINAL, 4.0, 4),
        (ORDINAL, " Excellent ", 4),
        (INTEGER, "3", 3),
        (INTEGER, 3.0, 3),
        (NUMBER, 7, 7.0),
        (NUMBER, "7.25", 7.25),
        (Binary(), True, True),
        (Binary(), "no", False),
        (Binary(), "예", True),
        (Binary(), "không", False),
        (CATEGORY, "TIE", "tie"),
        (Category(("1", "2")), 1, "1"),
    ],
)
def test_read(scale: Scale, raw: object, value: Value) -> None:
    assert scale.read(raw) == value
    assert type(scale.read(raw)) is type(value)


@pytest.mark.parametrize(
    ("scale", "raw"),
    [
        (ORDINAL, 3),
        (ORDINAL, 9),
        (INTEGER, 0),
        (INTEGER, 6),
        (INTEGER, 2.5),
        (NUMBER, 10.01),
        (NUMBER, -1),
        (NUMBER, "11"),
    ],
)
def test_a_value_beside_the_scale_is_never_clamped(scale: Scale, raw: object) -> None:
    with pytest.raises(OffScale):
        scale.read(raw)


@pytest.mark.parametrize("scale", [ORDINAL, INTEGER, NUMBER])
@pytest.mark.parametrize("raw", [True, None, "good", "", [], {}, float("nan"), float("inf"), "nan"])
def test_what_is_no_number_is_no_value(scale: Scale, raw: object) -> None:
    with pytest.raises(NotAValue) as caught:
        scale.read(raw)
    assert caught.type is NotAValue


@pytest.mark.parametrize("raw", [True, None, "c", [], 3])
def test_what_is_no_option_is_no_value(raw: object) -> None:
    with pytest.raises(NotAValue):
        CATEGORY.read(raw)


def test_nothing_but_yes_and_no_is_a_truth() -> None:
    assert [as_truth(raw) for raw in (1, 0, "True.", "**yes**")] == [True, False, True, True]
    assert [as_truth(raw) for raw in (2, 0.5, "maybe", None, "")] == [None] * 5


@pytest.mark.parametrize(
    ("scale", "low", "high"),
    [(ORDINAL, 1, 4), (INTEGER, 1, 5), (NUMBER, 0.0, 10.0), (Binary(), False, True)],
)
def test_the_ends_of_a_scale_are_0_and_1(scale: Scale, low: Value, high: Value) -> None:
    assert (scale.unit(low), scale.unit(high)) == (0.0, 1.0)


def test_a_category_has_no_order() -> None:
    scale: Scale = CATEGORY
    assert scale.unit("a") is None
    with pytest.raises(TypeError, match="has no order"):
        CATEGORY.cap("a", "b")


@pytest.mark.parametrize("scale", [ORDINAL, INTEGER, NUMBER])
def test_caps_and_floors(scale: Scale) -> None:
    assert (scale.cap(4, 2), scale.cap(1, 2)) == (2, 1)
    assert (scale.floor(4, 2), scale.floor(1, 2)) == (4, 2)


def test_labels() -> None:
    assert (ORDINAL.label(4), ORDINAL.label(3), INTEGER.label(3)) == ("excellent", None, None)


def test_schemas_list_the_values_where_they_are_few() -> None:
    assert ORDINAL.schema() == {"type": "integer", "enum": [1, 2, 4]}
    assert INTEGER.schema() == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    assert Integer(0, 1000).schema() == {"type": "integer", "minimum": 0, "maximum": 1000}
    assert NUMBER.schema() == {"type": "number", "minimum": 0.0, "maximum": 10.0}
    assert Binary().schema() == {"type": "boolean"}
    assert CATEGORY.schema() == {"type": "string", "enum": ["a", "b", "tie"]}
