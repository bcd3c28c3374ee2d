"""A value that stands alone: on the first line, on the last, or opening the reply."""

from __future__ import annotations

import re

from adjudge.core.scale import Binary, NotAValue, Scale, as_truth

from .place import Place, Span
from .revised import taken_back
from .written import value_of

_LONGEST_LINE, _MOST_WORDS = 40, 4
_MORE = re.compile(r"[,:;–—?]\s{0,3}\S|\?")  # "Output (b): yes", "Output (b), on the other hand"
_OPENING = re.compile(
    r"\s{0,9}[*_]{0,3}(?P<value>yes|no|예|네|아니오|아니요|có|không|是|否|はい|いいえ|ja"
    r"|nein)[*_]{0,3}"
    r"(?:[,.:;!。，、—–]|\s-\s|\s*\n)",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(
    r"\b(?:(?:final |my )?(?:answer|verdict|judge?ment|decision|conclusion) (?:is|would be)"
    r"|the answer:)"
    r"\s{0,3}[:*_\"“']{0,4}\s?(?P<value>yes|no|true|false)\b",
    re.IGNORECASE,
)


def alone(scale: Scale, text: str) -> Place | None:
    """The value on the last line, or on the first; None when they differ or hold more than it."""
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    first_end, last_begin = text.find("\n", begin, end), text.rfind("\n", begin, end) + 1
    lines = {(begin, first_end if first_end >= 0 else end), (max(begin, last_begin), end)}
    places = [place for line in sorted(lines) if (place := _only(scale, text, line))]
    if len({value_of(scale, place.raw) for place in places}) != 1:
        return None
    return places[-1]


def _only(scale: Scale, text: str, line: Span) -> Place | None:
    begin, end = line
    whole = text[begin:end]
    bare = whole.strip()
    if len(bare) > _LONGEST_LINE or len(bare.split()) > _MOST_WORDS or _MORE.search(bare):
        return None
    try:
        value_of(scale, bare)
    except NotAValue:
        return None
    begin += whole.find(bare)
    return Place(bare, f"line “{bare}”", (begin, begin + len(bare)))


def answered(scale: Binary, text: str) -> Place | None:
    """A yes or no that opens the reply, or that it names as its answer."""
    concluded = list(_CONCLUDED.finditer(text))
    found = concluded[-1] if concluded else _OPENING.match(text)
    if found is None or taken_back(text, found.end()) is not None:
        return None
    last = alone(scale, text)
    if last and value_of(scale, last.raw) != as_truth(found["value"]):
        return None
    return Place(found["value"], f"“{found[0].strip()}”", found.span("value"), *found.span())
