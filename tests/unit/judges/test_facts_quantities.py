"""Numbers with their units, and in what two texts differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.judges.facts import differences, quantities

ANSWERS = Path(__file__).parents[2] / "data" / "answers"


def told(text: str) -> list[tuple[float, str]]:
    return [(each.value, each.dimension) for each in quantities(text)]


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("50.000 đồng", 50000, "đồng"),
        ("50,000 đồng", 50000, "đồng"),
        ("50 nghìn đồng", 50000, "đồng"),
        ("2 triệu đồng", 2e6, "đồng"),
        ("500만 원", 5e6, "원"),
        ("3.5%", 3.5, "%"),
        ("3,5 %", 3.5, "%"),
        ("$12", 12, "$"),
        ("12 dollars", 12, "$"),
        ("24 hours", 1440, "time"),
        ("1 day", 1440, "time"),
        ("two weeks", 20160, "time"),
        ("ba ngày", 4320, "time"),
        ("세 시간", 180, "time"),
        ("6개월", 6, "months"),
        ("1 year", 12, "months"),
        ("8:30", 8.5, ""),
        ("Mondays", 1, "weekday"),
        ("thứ Bảy", 6, "weekday"),
        ("화요일에", 2, "weekday"),
        ("in February", 2, "month name"),
        ("１２ kg", 12, "kg"),
    ],
)
def test_a_quantity_is_read(text: str, value: float, dimension: str) -> None:
    assert told(text) == [(value, dimension)]


@pytest.mark.parametrize("text", ["이체 한도는", "one of them", "You may go", "no number", "v.v."])
def test_what_is_no_quantity(text: str) -> None:
    assert told(text) == []


def between(reference: str, answer: str, also: str = "") -> list[tuple[str, str | None]]:
    found = differences(quantities(reference), quantities(answer), quantities(also))
    return [(one.text, other.text if other else None) for one, other in found]


@pytest.mark.parametrize(
    ("reference", "answer", "found"),
    [
        ("It costs 10.000 đồng.", "It costs 13.000 đồng.", [("10.000 đồng", "13.000 đồng")]),
        ("closed for 6 months", "closed for 6 weeks", [("6 months", "6 weeks")]),
        ("within 24 hours", "within 1 day", []),
        ("5 days and 12 dollars", "12 dollars", [("5 days", None)]),
        ("12 dollars", "12 dollars, and 4 days", []),
        ("on Monday", "on Friday", [("monday", "friday")]),
        ("12 dollars", "on Friday", [("12 dollars", None)]),
    ],
)
def test_differences(reference: str, answer: str, found: list[tuple[str, str | None]]) -> None:
    assert between(reference, answer) == found


def test_what_the_question_says_stands_in_the_place_of_nothing() -> None:
    assert between("dưới 15 ngày", "Ở 10 ngày", also="Tôi ở 10 ngày") == [("15 ngày", None)]


@pytest.mark.parametrize("language", ["en", "ko", "vi"])
def test_changed_numbers_are_found_and_none_is_made_up(language: str) -> None:
    lines = (ANSWERS / f"{language}.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, lines):
        right = between(row["reference"], row["right"], row["question"])
        assert not [each for each in right if each[1]], row["id"]
        if row["kind"] == "number":
            wrong = between(row["reference"], row["wrong"], row["question"])
            assert [each for each in wrong if each[1]], row["id"]
