"""Long and marked texts in pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.service.pages.texts import MOST, Piece, Texts, pieces


@given(st.text(max_size=400), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400))))
def test_nothing_is_lost_and_every_mark_is_where_it_was(
    text: str, places: list[tuple[int, int]]
) -> None:
    marks = {str(n): place for n, place in enumerate(places)}
    found = pieces(text, marks)
    assert "".join(piece.text for piece in found) == text
    for name, (start, end) in marks.items():
        marked = "".join(piece.text for piece in found if name in piece.names)
        assert marked == (text[start:end] if 0 <= start < end <= len(text) else "")


def test_a_long_text_is_cut_around_its_marks() -> None:
    text = "x" * 500_000 + "7" + "y" * 500_000
    found = pieces(text, {"quality": (500_000, 500_001)})
    assert Piece("7", ("quality",)) in found
    assert sum(len(piece.text) for piece in found) <= MOST + 1
    assert sum(len(piece.text) + piece.left_out for piece in found) == len(text)


def test_marks_that_lie_over_each_other_share_a_piece() -> None:
    assert pieces("abcd", {"one": (0, 3), "two": (1, 4)}) == (
        Piece("a", ("one",)),
        Piece("bc", ("one", "two")),
        Piece("d", ("two",)),
    )


def test_the_whole_of_a_cut_text_can_be_had() -> None:
    texts = Texts()
    shown = texts.show("answer", "a" * (MOST + 1))
    assert shown.cut
    assert texts.whole[shown.name] == "a" * (MOST + 1)
    assert not texts.show("short", "a" * MOST).cut
