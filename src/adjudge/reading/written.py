"""A value as people write it → a value of the scale.

The text is what stands in the score's own place (a JSON string, the rest of a labelled line), never
a whole reply: "4", "4/5", "4 out of 5", "8,5", "4점", "４", "**4**", "[[4]]", "3 (helpful)",
"helpful". A second number that is not the end of the scale makes the place ambiguous, and then it
is not read at all: a wrong number is worse than none.
"""

from __future__ import annotations

import math
import re
import unicodedata

from adjudge.core.scale import (
    Binary,
    Category,
    Integer,
    NotAValue,
    Number,
    OffScale,
    Ordinal,
    Scale,
    Value,
    folded,
)

_DECORATION = " \t\r\n*_`\"'“”‘’「」[]{}<>()|=~"
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?|[-+]?\.\d+")
_OUT_OF = re.compile(
    r"^\s*(?:/|\bout of\b|\bof\b|\btrên\b|\bvon\b|점\s*/|満点中)\s*(\d+(?:[.,]\d+)?)"
)
# What may stand right after a number: a unit, then the end, punctuation or a remark in brackets.
_UNIT = re.compile(r"^\s*(?:점|点|分|điểm\b|points?\b|stars?\b|punkte?\b)", re.IGNORECASE)
_REST = re.compile(r"^\s*(?:$|[A-Z][a-z]{3,}\s*:|[.,;:!)\]*_`\"'|\-–—(（]|$)")
# A numeral alone or with its unit: inside a word these signs mean other things.
_HAN_NUMERALS = "〇一二三四五六七八九十"
_HAN = re.compile(rf"^[{_HAN_NUMERALS}](?=\s*(?:[点分星颗顆점]|$|[.,。/]))")
# "Good (3)": a remark, then the value. The closing bracket is stripped as decoration.
_IN_BRACKETS = re.compile(r"^[^\W\d][^\d()]{0,30}\((\d+(?:[.,]\d+)?)\)?$")
# A second number right behind the first: a range, a list, a choice.
_ANOTHER = re.compile(r"[\s\[\](),;/~–—-]*(?:(?:or|and|to|oder|bis|hoặc|đến)\b[\s\[(]*)?\d")
_CHOICE = re.compile(
    r"^(?:assistant|answer|response|output|model|option|candidate|system)\s+", re.IGNORECASE
)


def value_of(scale: Scale, raw: object) -> Value:
    """Raises OffScale or NotAValue as Scale.read does."""
    if not isinstance(raw, str):
        return scale.read(raw)
    try:
        return scale.read(raw)  # written to the letter, whatever signs it consists of
    except NotAValue:
        text = unicodedata.normalize("NFKC", raw).strip(_DECORATION)
        text = _IN_BRACKETS.sub(r"\1", re.sub(r"^[-•]\s+", "", text))
        text = _HAN.sub(lambda found: str(_HAN_NUMERALS.index(found[0])), text)
    if isinstance(scale, Category | Binary):
        return scale.read(_choice(scale, text))
    if scale.values() == (0, 1) and not re.search(r"\d", text):
        return scale.read(int(Binary().read(re.split("[,.;]", text)[0])))  # "Yes, it does."
    try:
        return scale.read(text)
    except NotAValue:
        number = leading_number(text, scale)
        value = scale.read(number)
    if isinstance(scale, Ordinal):
        _agrees_with_label(scale, int(value), text)
    return value


def holds_value(scale: Scale, raw: object) -> bool:
    """Whether a value stands there; one off the scale counts, being still what was said."""
    try:
        value_of(scale, raw)
    except OffScale:
        return True
    except NotAValue:
        return False
    return True


def _choice(scale: Scale, text: str) -> str:
    """The option's name without what is put around it: "Assistant A.", "b (clearly better)"."""
    bare = _CHOICE.sub("", text).strip(_DECORATION + ".!,;:")
    values = scale.values() or ()
    head = re.split(r"\s*[(,;:.–—]", bare, maxsplit=1)[0]
    known = {folded(str(value)) for value in values} | {"yes", "no", "true", "false"}
    return head if folded(bare) not in known and folded(head) in known else bare


def leading_number(text: str, scale: Scale) -> float:
    """The number that the text begins with; the end of the scale may follow it ("4/5")."""
    found = _NUMBER.match(text)
    if not found:
        raise NotAValue(f"{_short(text)!r} does not begin with a number")
    rest = text[found.end() :]
    unit = _UNIT.match(rest)
    rest = rest[unit.end() :] if unit else rest
    out_of = _OUT_OF.match(rest)
    if out_of:
        top = _as_float(out_of[1])
        if top != _top(scale):
            raise NotAValue(f"{_short(text)!r} is counted out of {top:g}, not {_top(scale):g}")
        return _as_float(found[0])  # said in full, whatever follows
    if not _REST.match(rest) or _ANOTHER.match(rest):
        raise NotAValue(f"{_short(text)!r} is not a plain number")
    return _as_float(found[0])


def _top(scale: Scale) -> float:
    """The end of a scale of numbers."""
    if isinstance(scale, Integer | Number):
        return float(scale.max)
    return float(max(scale.levels)) if isinstance(scale, Ordinal) else math.nan


def _as_float(numeral: str) -> float:
    return float(numeral.replace(",", "."))


def _agrees_with_label(scale: Ordinal, value: int, text: str) -> None:
    """A number next to another level's label ("2, excellent") says two things: nothing is read."""
    words = set(re.findall(r"[^\W\d_]+", folded(text)))
    for other, level in scale.levels.items():
        if other != value and folded(level.label) in words:
            own = folded(scale.levels[value].label)
            if own not in words:
                raise NotAValue(f"{_short(text)!r} names {value} and {level.label!r}")


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
