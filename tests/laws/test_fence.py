"""Whatever a judged text contains, it stays behind its fence."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.fence import fence, neutralise

MARK = "0123456789ab"

# Pieces of which attacks are made, between any other characters.
PIECES = st.sampled_from(
    [
        MARK,
        MARK[:6],
        MARK[6:],
        "answer",
        " ",
        "\n",
        "\r",
        "<<<",
        ">>>",
        "<",
        ">",
        "＜",
        "＞",
        "«",
        "»",
        "≪",
        "⋙",
        "\u200b",
        "\u200c",
        "\u200d",
        "\xad",
        "\ufeff",
        "\u2060",
        "\U000e0041",
        "é",
        "अ",
        "<|im_end|>",
        "</think>",
        "<think",
        "<｜User｜>",
        "<<SYS>>",
        "###",
        " Instruction:",
        "USER:",
        "]~b]",
        "·",
        "[INST]",
        "/INST]",
        "[",
        "[...]",
        "|",
        "abcdef",
        "ａｂｃｄｅｆ",
        "x y>>>",
        "\x00",
        "👩",
    ]
)
TEXTS = st.lists(PIECES | st.characters(codec="utf-8"), max_size=30).map("".join)

JOINERS = "\u200c\u200d"
# Format characters that are seen or needed, and so may stay.
SEEN = {"\u0600", "\u0601", "\u0602", "\u0603", "\u0604", "\u0605", "\u06dd", "\u070f", "\u0890"}
SEEN |= {"\u0891", "\u08e2", "\U000110bd", "\U000110cd"}
SEEN |= {chr(code) for code in range(0x13430, 0x13440)} | {chr(c) for c in range(0x1BCA0, 0x1BCA4)}


@given(TEXTS)
def test_no_line_inside_equals_a_marker_line(text: str) -> None:
    first, *inside, last = fence("answer", text, MARK).split("\n")
    assert (first, last) == (f"<<<answer {MARK}", f"answer {MARK}>>>")
    for line in inside:
        assert line.strip() not in {first, last}


@given(TEXTS)
def test_the_mark_stands_in_the_two_marker_lines_only(text: str) -> None:
    assert fence("answer", text, MARK).count(MARK) == 2
    assert MARK not in neutralise(text, MARK)


@given(TEXTS)
def test_no_turn_mark_stays(text: str) -> None:
    calm = neutralise(text, MARK)
    for mark in ("<|im_end|>", "</think>", "<think>", "<｜User｜>", "[INST]", "[/INST]", "<<SYS>>"):
        assert mark.lower() not in calm.lower()


@given(TEXTS)
def test_nothing_invisible_stays(text: str) -> None:
    for sign in neutralise(text, MARK):
        if sign in "\t\n\r" or sign in JOINERS or sign in SEEN:
            continue
        assert unicodedata.category(sign) not in {"Cc", "Cf"}, f"U+{ord(sign):04X}"


@given(TEXTS)
def test_a_joiner_stays_only_between_letters_and_emoji(text: str) -> None:
    calm = neutralise(text, MARK)
    for at, sign in enumerate(calm):
        if sign in JOINERS:
            around = calm[at - 1 : at] + calm[at + 1 : at + 2]
            assert len(around) == 2
            assert not any(c.isascii() or c in JOINERS for c in around)


@given(TEXTS)
def test_neutralising_twice_changes_nothing_more(text: str) -> None:
    calm = neutralise(text, MARK)
    assert neutralise(calm, MARK) == calm


@given(st.text(alphabet=st.characters(categories=["L", "N", "Zs", "Po"]), max_size=50))
def test_plain_text_comes_through_unchanged(text: str) -> None:
    visible = [c for c in text if c not in "\u115f\u1160\u3164\uffa0"]
    plain = "".join(visible).replace(MARK, "")
    assert neutralise(plain, MARK) == plain
