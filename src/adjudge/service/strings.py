"""The words of the interface, one file a language below `strings/`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from adjudge.reports.strings import Strings, read_strings

# As each language calls itself.
LANGUAGES: Mapping[str, str] = {"en": "English", "ko": "한국어", "vi": "Tiếng Việt"}


@cache
def strings(language: str) -> Strings:
    """Whoever puts what it says into a page escapes it, as templates do."""
    return read_strings(files(__package__).joinpath("strings"), language)


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
