"""The words that people read, a file per language: `findings/` has those of reports and plots,
`pages/` those of web pages, `reasons/` those of reasons, under their codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

import yaml

from .numerals import filled

__all__ = [
    "LANGUAGES",
    "Coded",
    "OptionNames",
    "Strings",
    "file_of_words",
    "reason_words",
    "remedy_words",
    "strings_for",
]

# As each language calls itself.
LANGUAGES: Mapping[str, str] = {"en": "English", "ko": "한국어", "vi": "Tiếng Việt"}

_SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same in C, seven times as fast


class Coded(Protocol):
    """A code and the fields that its words have blanks for: a Reason."""

    @property
    def code(self) -> str: ...

    @property
    def fields(self) -> Mapping[str, Any]: ...


class Strings:
    """`say("report.items", n=3)`: the words for a key, filled in.

    An entry with `one` and `other` depends on `n`. Values are texts: code that puts the result into
    a page escapes it.
    """

    def __init__(self, language: str, entries: Mapping[str, str]) -> None:
        self.language, self.entries = language, entries

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def __call__(self, key: str, /, **values: object) -> str:
        if key not in self.entries:
            key = f"{key}.{'one' if values['n'] == 1 else 'other'}"
        return filled(self.entries[key], values, self.language)

    def reason(self, reason: Coded | None, options: OptionNames | None = None) -> str:
        """The reason in words of this language; "" without one."""
        return (
            "" if reason is None else reason_words(self.language, reason, options or COMMAND_LINE)
        )


@cache
def strings_for(language: str) -> Strings:
    """What reports and pages say. ValueError for a language that there are no words in."""
    if language not in LANGUAGES:
        raise ValueError(
            f"There are no words in {language!r}; take one of: {', '.join(LANGUAGES)}."
        )
    return Strings(language, _words("findings", language) | _words("pages", language))


@cache
def file_of_words(folder: str, language: str) -> str:
    """The text of such a file. Once it is read, words can be made with no file left to open."""
    return files(__package__).joinpath(folder, f"{language}.yaml").read_text("utf-8")


def _words(folder: str, language: str) -> dict[str, str]:
    return dict(_flat(yaml.load(file_of_words(folder, language), Loader=_SafeLoader)))  # noqa: S506 - a safe one


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)


@cache
def reasons(language: str) -> Strings:
    """The words of all reasons in one language."""
    return Strings(language, _words("reasons", language))


class OptionNames:
    """What a front calls the options that words name as `{option[limit]}`; here those of the
    command line."""

    def __getitem__(self, name: str) -> str:
        return f"--{name}"

    def value(self, name: str, value: object) -> object:  # noqa: ARG002 - fronts may look at it
        """How the value is written that is proposed for the option."""
        return value


COMMAND_LINE = OptionNames()
# The codes of reasons whose `name` is that of an option.
_NAMES_OPTION = ("option", "option_value", "place.option", "place.option_value")
_JOINED = {"lines": "\n", "words": " ", "clauses": "; "}


class _Several(tuple[str, ...]):
    """Texts in one blank: `{names}` puts commas between them, `{rows:lines}` makes lines of them,
    `{rows:words}` puts spaces, `{whys:clauses}` semicolons."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(self)

    def __format__(self, spec: str) -> str:
        return _JOINED.get(spec, ", ").join(self)


def reason_words(language: str, reason: Coded, options: OptionNames = COMMAND_LINE) -> str:
    """The reason in words, with those that its fields hold, and with its remedy. A code without
    words, as a later version may have kept it, is shown as it is."""
    if not reason.code:
        return str(reason.fields["text"])
    words = reasons(language)
    held = _held(language, reason, options)
    if f"{reason.code}.says" in words:
        said = words(f"{reason.code}.says", **held)
        joined = " " if said.endswith((".", "?")) else "; "
        return f"{said}{joined}{words(f'{reason.code}.remedy', **held)}"
    if reason.code in words or f"{reason.code}.other" in words:
        return words(reason.code, **held)
    fields = [f"{name} {value}" for name, value in held.items() if name in reason.fields]
    return ", ".join([reason.code, *fields])


def remedy_words(language: str, reason: Coded) -> str:
    """What to do about it; "" where its words do not say that apart."""
    words, key = reasons(language), f"{reason.code}.remedy"
    return words(key, **_held(language, reason, COMMAND_LINE)) if key in words else ""


def _held(language: str, reason: Coded, options: OptionNames) -> dict[str, object]:
    fields = reason.fields.items()
    held = {name: _worded(language, value, options) for name, value in fields}
    if reason.code in _NAMES_OPTION:
        name = str(held["name"])
        held |= {"name": options[name], "value": options.value(name, held.get("value"))}
    return {**held, "option": options}


def _worded(language: str, value: object, options: OptionNames) -> object:
    if isinstance(value, tuple):
        texts = _Several(str(_worded(language, part, options)) for part in value)
        return texts or _Several((reasons(language)("none"),))
    if hasattr(value, "code"):
        return reason_words(language, value, options)  # type: ignore[arg-type]
    return value
