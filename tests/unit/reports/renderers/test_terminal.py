from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.reports.renderers.terminal import printable, printable_json

TEXT = st.text(st.characters(codec=None, exclude_categories=())) | st.text("\x00\x1b\x9b\u202e\n\t")


@given(TEXT)
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    shown = printable(text)
    for sign in set(shown) - set("\n\t\u200c\u200d"):
        assert unicodedata.category(sign) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    shown.encode()


@given(TEXT)
def test_json_stays_the_same_json(text: str) -> None:
    shown = printable_json(json.dumps({text: [text]}, ensure_ascii=False))
    assert json.loads(shown) == {text: [text]}
    assert not set("\x1b\x9b\u202e") & set(shown)


@pytest.mark.parametrize(
    "text", ["Grüße, 세계\n\tвсем", "می‌خواهم", "👩‍💻 全角　字", "a\u00a0b", "điểm số"]
)
def test_plain_text_stays(text: str) -> None:
    assert printable(text) == printable_json(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("a\rb", r"a\rb"),
        ("\u202e", r"\u202e"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_spelt_out(text: str, shown: str) -> None:
    assert printable(text) == shown
