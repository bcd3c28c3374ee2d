"""Flags of the command line in the words of a form."""

from __future__ import annotations

import pytest

from adjudge.service.pages.flag_words import in_fields
from adjudge.service.pages.problem_words import Line
from adjudge.service.strings import strings


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "name it: “Columns of the data” a=b"),
        ("ko", "name it: “데이터의 열” a=b"),
        ("vi", "name it: “Cột dữ liệu” a=b"),
    ],
)
def test_a_flag_is_the_title_of_its_field(language: str, told: str) -> None:
    assert in_fields([Line("name it: --map a=b", "en")], strings(language)) == [Line(told, "en")]


def test_what_the_form_does_not_have_is_said() -> None:
    said = Line("The price is not known. Give it with --price in=1,out=2.")
    assert in_fields([said], strings("en")) == [
        said,
        Line(
            "This form does not have --price; `adjudge run` does, and the API under the same names."
        ),
    ]
    assert in_fields([Line("a--b -- c")], strings("en")) == [Line("a--b -- c")]
