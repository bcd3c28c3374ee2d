"""The words of the interface, one file a language below `strings/`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

# As each language calls itself.
LANGUAGES: Mapping[str, str] = {"en": "English", "ko": "한국어", "vi": "Tiếng Việt"}


class Strings:
    """`say("run.items", n=3)`: the words for a key, filled in.

    An entry with `one` and `other` depends on `n`. Values are texts: whoever puts the result into a
    page escapes it, as templates do.
    """

    def __init__(self, language: str, entries: Mapping[str, str]) -> None:
        self.language, self._entries = language, entries

    def __call__(self, key: str, **values: object) -> str:
        if key not in self._entries:
            key = f"{key}.{'one' if values['n'] == 1 else 'other'}"
        return self._entries[key].format(**values)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    @property
    def entries(self) -> Mapping[str, str]:
        return self._entries


@cache
def strings(language: str) -> Strings:
    text = files(__package__).joinpath(f"strings/{language}.yaml").read_text("utf-8")
    return Strings(language, dict(_flat(yaml.safe_load(text))))


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)


def preferred(cookie: str | None, header: str) -> str:
    """The language chosen before, else the first that the browser accepts and we have."""
    if cookie is not None and cookie in LANGUAGES:
        return cookie
    wishes = []
    for part in header.split(","):
        tag, _, quality = part.strip().partition(";q=")
        try:
            wishes.append((-float(quality or 1), tag.partition("-")[0].casefold()))
        except ValueError:
            continue
    return next((tag for _, tag in sorted(wishes, key=lambda w: w[0]) if tag in LANGUAGES), "en")
