"""Whatever a text is cut into, its tokens are told apart from those that come before it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.models.chat_completions.likelihood import spans_of

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufffd"), min_size=1)


def cut(text: str, places: set[int]) -> list[str]:
    ends = sorted({place % len(text) for place in places} - {0})
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]


@given(TEXT, st.sets(st.integers(0, 100)), st.sampled_from(["", "<s>\0", None]))
def test_every_token_lies_where_it_was_cut(text: str, places: set[int], mark: str | None) -> None:
    tokens = cut(text, places)
    marked = tokens if mark is None or text.startswith(mark or "\0") else [mark, *tokens]
    spans = spans_of(marked, text)
    assert spans is not None
    assert [text[start:end] for start, end, _ in spans] == [
        token if token in tokens else "" for token in marked
    ]
    assert all(whole for _, _, whole in spans)


@given(TEXT, st.sets(st.integers(0, 100)), st.data())
def test_tokens_of_another_text_are_refused(
    text: str, places: set[int], data: st.DataObject
) -> None:
    """One token fewer, and they no longer spell it."""
    tokens = cut(text, places)
    del tokens[data.draw(st.integers(0, len(tokens) - 1))]
    spans = spans_of(tokens, text)
    assert spans is None or "".join(text[a:b] for a, b, _ in spans) == text


@given(st.lists(TEXT, min_size=1), st.sets(st.integers(0, 30)))
def test_pieces_share_the_characters_that_they_make_up(words: list[str], split: set[int]) -> None:
    """A word whose number is in `split` comes as two pieces a character."""
    tokens: list[str] = []
    for number, word in enumerate(words):
        tokens += ["\ufffd"] * 2 * len(word) if number in split else [word]
    text = "".join(words)
    spans = spans_of(tokens, text)
    if spans is not None:  # else two ways to spell it could not be told apart
        assert len(spans) == len(tokens)
        assert spans[-1][1] == len(text)
        for token, (start, end, whole) in zip(tokens, spans, strict=True):
            assert not whole or text[start:end] in (token, "")
