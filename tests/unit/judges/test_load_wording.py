from __future__ import annotations

import string

import pytest

from adjudge.judges.load import worded_languages, wording_for


@pytest.mark.parametrize("language", worded_languages())
def test_every_language_says_the_same_things_with_the_same_places_to_fill(language: str) -> None:
    english, other = wording_for("en").phrases, wording_for(language).phrases
    assert list(other) == list(english)
    for name, phrase in english.items():
        assert _places(other[name]) == _places(phrase), name


def _places(phrase: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(phrase) if name}


@pytest.mark.parametrize("language", worded_languages())
def test_every_language_names_the_languages_of_the_built_in_judges(language: str) -> None:
    assert {"en", "ko", "vi"} <= set(wording_for(language).languages)


def test_a_region_is_ignored_and_an_unknown_language_is_worded_in_english() -> None:
    assert wording_for("vi-VN") == wording_for("vi")
    assert wording_for("sw").language == "en"


def test_an_unknown_language_is_named_by_its_code() -> None:
    assert wording_for("en").name_of("ko") == "Korean"
    assert wording_for("en").name_of("tlh") == "tlh"
