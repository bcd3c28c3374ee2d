"""Why a figure is missing, in the reader's language; statistics give the reason in English."""

from __future__ import annotations

import re
from functools import cache
from string import Formatter

from .strings import Strings, strings_for

_SECTION = "why."
_NAMING = "why.compared."  # these tell names of runs, models and columns, which may hold spaces
_NESTED = "why"  # the field that holds a further reason


def reason(say: Strings, why: str) -> str:
    """The reason in the language of `say`; as it is, in English, where it is not among `why`."""
    if say.language == "en":
        return why
    for key, pattern in _patterns().items():
        if found := pattern.fullmatch(why):
            fields = found.groupdict()
            if _NESTED in fields:
                fields[_NESTED] = reason(say, fields[_NESTED])
            return say(key, **fields)
    return why


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """The English reasons with their blanks; those with more words of their own come first."""
    entries = strings_for("en").entries.items()
    known = {key: text for key, text in entries if key.startswith(_SECTION)}
    longest = sorted(known.items(), key=lambda each: -len(re.sub(r"{\w+}", "", each[1])))
    return {key: _pattern(text, names=key.startswith(_NAMING)) for key, text in longest}


def _pattern(text: str, *, names: bool) -> re.Pattern[str]:
    parts = []
    for words, field, _, _ in Formatter().parse(text):
        parts.append(re.escape(words))
        if field is not None:
            # A blank holds one word or figure, unless it holds another reason, or names.
            held = ".+" if names or field == _NESTED else r"\S+"
            parts.append(f"(?P<{field}>{held})")
    return re.compile("".join(parts), re.DOTALL)
