"""The words of the pages: the same in every language, and none that no page says."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import adjudge.service
from adjudge.reports.strings import Strings
from adjudge.service.strings import LANGUAGES, preferred, strings

_FOLDER = Path(adjudge.service.__file__).parent
_SOURCES = {
    path: path.read_text("utf-8")
    for ending in ("*.j2", "*.py")
    for path in sorted(_FOLDER.rglob(ending))
}
_SECTIONS = sorted({key.partition(".")[0] for key in strings("en").entries})
_QUOTED = re.compile(rf"""["']((?:{"|".join(_SECTIONS)})\.[\w.]+)["']""")
# "outcome." ~ name in a template, f"outcome.{name}" in Python: any key below may be meant.
_BEGINNING = re.compile(rf"""["']((?:{"|".join(_SECTIONS)})\.[\w.]*?)(?:["']\s*~|\{{)""")
_PLURALS = (".one", ".other")


def _base(key: str) -> str:
    for ending in _PLURALS:
        key = key.removesuffix(ending)
    return key


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _words(text: str) -> str:
    """The letters alone, without the places to fill."""
    return "".join(filter(str.isalpha, re.sub(r"\{.*?\}", "", text)))


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_every_language_has_the_same_keys_with_the_same_places_to_fill(language: str) -> None:
    english, other = strings("en").entries, strings(language).entries
    assert sorted(other) == sorted(english)
    differ = {
        key
        for key, text in english.items()
        # "one item" and "{n} item" say the same
        if (_fields(text) ^ _fields(other[key])) - ({"n"} if key.endswith(".one") else set())
    }
    assert differ == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_or_left_in_english(language: str) -> None:
    english, own = strings("en").entries, strings(language).entries
    assert [key for key, text in own.items() if not text.strip()] == []
    if language != "en":
        same = [key for key, text in own.items() if text == english[key] and len(_words(text)) > 12]
        assert same == []


def test_every_key_that_a_page_names_is_there() -> None:
    known = {_base(key) for key in strings("en").entries} | set(strings("en").entries)
    missing = {
        (path.name, key)
        for path, text in _SOURCES.items()
        for key in _QUOTED.findall(text)
        if path.suffix == ".j2" and key not in known and not _is_beginning(key)
    }
    assert missing == set()


def test_no_key_is_left_unused() -> None:
    used = {key for text in _SOURCES.values() for key in _QUOTED.findall(text)}
    beginnings = {start for text in _SOURCES.values() for start in _BEGINNING.findall(text)}
    unused = [
        key
        for key in strings("en").entries
        if not {key, _base(key), key.rpartition(".")[0]} & used
        and not key.startswith(tuple(beginnings))
    ]
    assert unused == []


def _is_beginning(key: str) -> bool:
    return any(known.startswith(key) for known in strings("en").entries)


def test_one_and_several() -> None:
    say = Strings("en", {"a.one": "{n} run", "a.other": "{n} runs"})
    assert [say("a", n=1), say("a", n=0), say("a", n=2)] == ["1 run", "0 runs", "2 runs"]


@pytest.mark.parametrize(
    ("cookie", "header", "language"),
    [
        (None, "", "en"),
        (None, "ko-KR,ko;q=0.9,en;q=0.8", "ko"),
        (None, "fr, vi;q=0.4, en;q=0.3", "vi"),
        ("vi", "ko", "vi"),
        ("xx", "ko", "ko"),
        (None, "ko;q=high, de", "en"),
    ],
)
def test_the_language_that_the_reader_wants(cookie: str | None, header: str, language: str) -> None:
    assert preferred(cookie, header) == language
