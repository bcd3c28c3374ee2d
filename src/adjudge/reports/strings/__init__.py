"""The words of reports and plots, one file a language beside this one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml

from adjudge.errors import UsageError

LANGUAGES = ("en", "ko", "vi")


class Strings:
    """`say("report.items", n=3)`: the words for a key, filled in.

    An entry with `one` and `other` depends on `n`. Values are texts: whoever puts the result into a
    page escapes it.
    """

    def __init__(self, language: str, entries: Mapping[str, str]) -> None:
        self.language, self.entries = language, entries

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def __call__(self, key: str, **values: object) -> str:
        if key not in self.entries:
            key = f"{key}.{'one' if values['n'] == 1 else 'other'}"
        return self.entries[key].format(**values)


@cache
def strings_for(language: str) -> Strings:
    """UsageError for a language that there are no words in."""
    if language not in LANGUAGES:
        raise UsageError(
            f"There are no words in {language!r}; take one of: {', '.join(LANGUAGES)}."
        )
    return read_strings(files(__package__), language)


def read_strings(folder: Traversable, language: str) -> Strings:
    """The words of `<language>.yaml` in the folder."""
    text = folder.joinpath(f"{language}.yaml").read_text("utf-8")
    return Strings(language, dict(_flat(yaml.safe_load(text))))


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)
