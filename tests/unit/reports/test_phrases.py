"""English sentences that are known again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.reports.phrases import Phrases
from adjudge.reports.strings import Strings

_ENGLISH = {
    "said.file": "{file}: {part}",
    "said.line": "{file}, line {n}: {part}",
    "said.empty": "the file is empty",
    "said.http": "the server answered {status}: {why}",
    "said.names.count": "{n} rows",
    "other.empty": "nothing",
}
_OTHER = {
    "said.file": "<{file}> {part}",
    "said.line": "<{file}#{n}> {part}",
    "said.empty": "LEER",
    "said.http": "SERVER {status}: {why}",
    "said.names.count": "{n} ZEILEN",
    "other.empty": "NICHTS",
}
SAY = Strings("xx", _OTHER)
KNOWN = Phrases(Strings("en", _ENGLISH), "said", naming="said")


@pytest.mark.parametrize(
    ("english", "told"),
    [
        ("the file is empty", "LEER"),
        ("a file.csv: the file is empty", "<a file.csv> LEER"),
        ("a.csv, line 3: the file is empty", "<a.csv#3> LEER"),
        ("a.csv: 3 rows", "<a.csv> 3 ZEILEN"),  # not "a.csv: 3" ZEILEN
        ("the server answered 500: its own words", "SERVER 500: its own words"),
        ("a.csv: something new", None),  # half a translation is none
        ("nothing", None),  # of another section
        ("The file is empty", None),
    ],
)
def test_what_is_known_is_told(english: str, told: str | None) -> None:
    assert KNOWN.told(SAY, english) == told


def test_outside_of_what_names_things_a_blank_holds_one_word() -> None:
    strict = Phrases(Strings("en", _ENGLISH), "said", naming="said.names")
    assert strict.told(SAY, "some 3 rows") == "some 3 ZEILEN"
    assert strict.told(SAY, "a file.csv: the file is empty") is None
    assert strict.told(SAY, "file.csv: the file is empty") == "<file.csv> LEER"


@given(st.text(alphabet="a: ,line3", max_size=60))
def test_any_text_is_told_or_not_known(text: str) -> None:
    told = KNOWN.told(SAY, text)
    assert told is None or re.search("LEER|SERVER|ZEILEN", told)


def test_sentences_in_sentences_come_to_an_end() -> None:
    """A text of a hostile file could else take for ever."""
    assert KNOWN.told(SAY, "a, line 3: " * 80 + "the file is empty") is None
    assert KNOWN.told(SAY, "a: " * 300_000) is None
