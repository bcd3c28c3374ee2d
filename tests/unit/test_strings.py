"""The words of reports and pages: the same in every language, and none that nothing says."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest
import yaml

import adjudge
from adjudge.strings import LANGUAGES, Strings, strings_for

_FOLDER = Path(adjudge.__file__).parent
_SOURCES = {
    path: path.read_text("utf-8")
    for package in ("reports", "service", "cli")
    for ending in ("*.j2", "*.py")
    for path in sorted((_FOLDER / package).rglob(ending))
}
_SECTIONS = sorted({key.partition(".")[0] for key in strings_for("en").entries})
_QUOTED = re.compile(rf"""["']((?:{"|".join(_SECTIONS)})\.[\w.]+)["']""")
# "outcome." ~ name in a template, f"outcome.{name}" in Python: any key below may be meant.
_BEGINNING = re.compile(rf"""["']((?:{"|".join(_SECTIONS)})\.[\w.]*?)(?:["']\s*~|\{{)""")
_PLURALS = (".one", ".other")
_FOUND_BY_TEXT = ("problem.said.",)


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
    english, other = strings_for("en").entries, strings_for(language).entries
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
    english, own = strings_for("en").entries, strings_for(language).entries
    assert [key for key, text in own.items() if not text.strip()] == []
    if language != "en":
        same = [key for key, text in own.items() if text == english[key] and len(_words(text)) > 12]
        assert same == []


def test_a_key_stands_in_one_file() -> None:
    folders = ("findings", "pages")
    texts = [(_FOLDER / f"strings/{name}/en.yaml").read_text("utf-8") for name in folders]
    sections = [set(yaml.safe_load(text)) for text in texts]
    assert sum(map(len, sections)) == len(set().union(*sections))


def test_every_key_that_a_page_names_is_there() -> None:
    known = {_base(key) for key in strings_for("en").entries} | set(strings_for("en").entries)
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
        for key in strings_for("en").entries
        if not key.startswith(_FOUND_BY_TEXT)
        and not {key, _base(key), key.rpartition(".")[0]} & used
        and not key.startswith(tuple(beginnings))
    ]
    assert unused == []


def _is_beginning(key: str) -> bool:
    return any(known.startswith(key) for known in strings_for("en").entries)


def test_one_and_several() -> None:
    say = Strings("en", {"a.one": "{n} run", "a.other": "{n} runs"})
    assert [say("a", n=1), say("a", n=0), say("a", n=2)] == ["1 run", "0 runs", "2 runs"]


def test_an_unknown_language() -> None:
    with pytest.raises(ValueError, match="'fr'; take one of: en, ko, vi"):
        strings_for("fr")


def test_a_sentence_stands_once() -> None:
    """Reports and pages say a thing in the same words because they have them from one place. What
    several probes advise may be the same."""
    seen: dict[str, str] = {}
    twice = []
    for key, text in strings_for("en").entries.items():
        if len(text.split()) < 4 or key.startswith(("probe.advice.", "plot.")):
            continue
        if seen.setdefault(re.sub(r"\{.*?\}", "{}", text), _base(key)) != _base(key):
            twice.append(key)
    assert twice == []


def _place(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("path", sorted((_FOLDER / "strings").rglob("*.yaml")), ids=_place)
def test_no_words_are_there_twice(path: Path) -> None:
    """YAML would take the later ones without a word."""

    def check(node: yaml.Node) -> None:
        if isinstance(node, yaml.MappingNode):
            names = [key.value for key, _ in node.value]
            assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
            for _, value in node.value:
                check(value)

    check(yaml.compose(path.read_text("utf-8"), Loader=yaml.SafeLoader))
