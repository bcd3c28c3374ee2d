from __future__ import annotations

from adjudge.api import load
from adjudge.cli.label_session import guide_lines, item_lines, prompt_text, wrapped
from adjudge.core.item import Item


def test_the_texts_are_those_that_the_judge_is_given() -> None:
    """In the judge's language, an agent's trace cut, nothing that is empty, nothing extra."""
    trace = "**Observation** bí mật\nFinal Answer: Mở lúc 8 giờ.\x1b[2J"
    fields = {"question": "Mấy giờ?", "reference": "8 giờ", "answer": trace, "context": " "}
    item = Item("7\x07", fields, {"human": 3})
    assert item_lines(load("chatbot"), item, 2, 60, 40) == [
        "── item 2 of 60 · 7\\x07 " + "─" * 16,
        *("", "Câu hỏi", "  Mấy giờ?"),
        *("", "Đáp án chuẩn", "  8 giờ"),
        *("", "Câu trả lời của chatbot", "  Mở lúc 8 giờ.\\x1b[2J"),
        "",
    ]


def test_the_guide_with_its_levels() -> None:
    lines = guide_lines(load("helpfulness").rubric.criteria["rating"], 200)
    assert lines[0] == "Overall rating"
    assert "  2 unhelpful: leaves out some of the main points of the question" in lines


def test_the_prompt_names_keys_or_values() -> None:
    rating = load("helpfulness").rubric.criteria["rating"]
    assert prompt_text(rating, {"1": "terrible", "b": "b"}) == "rating: 1 terrible · b › "
    tone = load("chatbot").rubric.criteria["tone"]
    assert prompt_text(tone, {}) == "tone: 0 to 10, then Enter › "


def test_lines_break_at_spaces_and_keep_everything_else() -> None:
    assert list(wrapped("one two  three", 8)) == ["one two ", "three"]
    assert list(wrapped("  indented code stays", 12)) == ["  indented", "code stays"]
    assert list(wrapped("a\n\n\tb", 8)) == ["a", "", "    b"]
    assert list(wrapped("0123456789", 4)) == ["0123", "4567", "89"]


def test_wide_characters_take_two_places() -> None:
    assert list(wrapped("한국어로 씁니다", 8)) == ["한국어로", "씁니다"]
    assert list(wrapped("한국어", 4)) == ["한국", "어"]
    assert list(wrapped("한", 1)) == ["한"]
