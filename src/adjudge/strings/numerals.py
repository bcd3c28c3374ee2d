"""How a language writes figures. They are made as English writes them, as machines do, and changed
here where a reader's language has another form: 1,234.5 is 1.234,5 in Vietnamese."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from typing import Any

_SWAPPED = frozenset({"vi"})  # languages with a comma before the decimals
_BETWEEN = re.compile(r"(?<=[\d%]), (?=[-+−]?\d)")  # two figures of a list, such as an interval
_SIGN = re.compile(r"(?<=\d)[.,](?=\d)")


def in_language(figure: str, language: str) -> str:
    """The figure as the language writes it: 8.33 [4.05, 10] is 8,33 [4,05; 10]. The text must be
    of figures alone: a version or a name has the same signs."""
    if language not in _SWAPPED:
        return figure
    apart = _BETWEEN.sub("; ", figure)
    return _SIGN.sub(lambda match: "," if match[0] == "." else ".", apart)


def filled(entry: str, values: Mapping[str, object], language: str) -> str:
    """`str.format` whose numbers are written as the language writes them; a text in a blank stays
    as it is: who made it wrote its figures."""
    if language not in _SWAPPED:  # in C, and several times as fast
        return entry.format(**values)
    return _Blanks(language).vformat(entry, (), values)


class _Blanks(string.Formatter):
    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        text = format(value, format_spec)
        return in_language(text, self._language) if isinstance(value, int | float) else text
