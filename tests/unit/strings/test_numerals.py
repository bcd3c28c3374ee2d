from __future__ import annotations

import pytest

from adjudge.strings import Strings
from adjudge.strings.numerals import in_language


@pytest.mark.parametrize(
    ("english", "vietnamese"),
    [
        ("8.33", "8,33"),
        ("20,000", "20.000"),
        ("1,234,567.5", "1.234.567,5"),
        ("8.33 [4.05, 10.00]", "8,33 [4,05; 10,00]"),
        ("+0.30 [-0.12, +0.48]", "+0,30 [-0,12; +0,48]"),
        ("12% [5%, 24%]", "12% [5%; 24%]"),
        ("$1,234.50", "$1.234,50"),
        ("<0.001", "<0,001"),
        ("–", "–"),
        ("7", "7"),
    ],
)
def test_vietnamese_has_a_comma_before_decimals(english: str, vietnamese: str) -> None:
    assert in_language(english, "vi") == vietnamese
    assert in_language(english, "en") == in_language(english, "ko") == english


def test_numbers_in_sentences_are_written_and_names_are_not() -> None:
    entries = {"k": "{n:,} of {all}: {mean:.2f} by {model}, {share:.1%}"}
    values = {"n": 20000, "all": "1.5", "mean": 8.333, "model": "m-4.1", "share": 0.125}
    assert Strings("en", entries)("k", **values) == "20,000 of 1.5: 8.33 by m-4.1, 12.5%"
    assert Strings("vi", entries)("k", **values) == "20.000 of 1.5: 8,33 by m-4.1, 12,5%"
