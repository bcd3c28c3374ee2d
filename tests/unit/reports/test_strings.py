from __future__ import annotations

from string import Formatter

import pytest

from adjudge.errors import UsageError
from adjudge.reports.strings import LANGUAGES, strings_for

OTHERS = [language for language in LANGUAGES if language != "en"]


def blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_keys(language: str) -> None:
    assert sorted(strings_for(language).entries) == sorted(strings_for("en").entries)


@pytest.mark.parametrize("language", OTHERS)
def test_and_the_same_blanks(language: str) -> None:
    english, other = strings_for("en").entries, strings_for(language).entries
    assert {key: blanks(text) for key, text in other.items()} == {
        key: blanks(text) for key, text in english.items()
    }


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_is_left_in_english(language: str) -> None:
    """What is the same in all: signs, figures and names of statistics."""
    same = {"n {n}", "p", "p (Holm)", "{usd} USD", "{item}: A {a}, B {b}"}
    same |= {"Kappa", "Pearson", "Spearman"}
    english, other = strings_for("en").entries, strings_for(language).entries
    worded = [key for key, text in english.items() if any(c.isalpha() for c in _plain(text))]
    assert {other[key] for key in worded if other[key] == english[key]} <= same


def _plain(text: str) -> str:
    return "".join(words for words, _, _, _ in Formatter().parse(text))


def test_one_and_many() -> None:
    say = strings_for("en")
    assert (say("trust.labels", n=1), say("trust.labels", n=2)) == ("1 label", "2 labels")


def test_an_unknown_language() -> None:
    with pytest.raises(UsageError, match="'fr'; take one of: en, ko, vi"):
        strings_for("fr")
