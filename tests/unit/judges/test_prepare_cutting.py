"""A cut text shows its ends and says what is missing; the numbers add up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.verdict import Cut
from adjudge.judges.prepare import cut_for, shortened_text

WORDS = " ".join(f"word{n}" for n in range(200))


@given(st.text(min_size=2, max_size=400), st.integers(0, 300))
def test_the_parts_of_a_cut_make_the_whole(text: str, keep: int) -> None:
    cut = cut_for(text, min(keep, len(text) - 1))
    assert cut.head + cut.left_out + cut.tail == len(text)
    assert cut.head + cut.tail <= keep
    assert min(cut.head, cut.left_out, cut.tail) >= 0


def test_words_stay_whole() -> None:
    cut = cut_for(WORDS, 300)
    head, tail = WORDS[: cut.head], WORDS[len(WORDS) - cut.tail :]
    assert head.endswith(" ")
    assert tail.startswith(" word")
    assert 300 - 2 * 8 <= cut.head + cut.tail <= 300


def test_a_text_without_spaces_is_cut_where_it_must_be() -> None:
    assert cut_for("가" * 1000, 100) == Cut(50, 900, 50)


@pytest.mark.parametrize(
    ("language", "sign"),
    [
        ("en", "[… 12,000 characters left out …]"),
        ("ko", "[… 중간 12,000자 생략 …]"),
        ("vi-VN", "[… lược bỏ 12,000 ký tự …]"),
        ("fi", "[… 12,000 characters left out …]"),
    ],
)
def test_the_seam_is_told_in_the_language_of_the_prompt(language: str, sign: str) -> None:
    text = "a" * 10 + "b" * 12_000 + "c" * 5
    assert shortened_text(text, Cut(10, 12_000, 5), language) == f"{'a' * 10}\n{sign}\nccccc"
