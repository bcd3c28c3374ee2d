"""A grade that lies between two others: "between 3 and 4", "3점과 4점 사이", "3~4점".

Only a scale of any numbers holds what lies between; on all others such a grade says nothing. A bare
"3-4", and "3 or 4", is not taken for a grade in between on any scale: it may be a list or a choice.
"""

from __future__ import annotations

import re

from adjudge.core.scale import Integer, NotAValue, Number, Ordinal, Scale, Value

_N = r"(?<![\d.,/])\d{1,4}(?:[.,]\d{1,3})?"
_NAMED = r"\s?(?:점|点|分|điểm|points?|stars?|punkt(?:en?)?|stern(?:en?)?)"
_UNIT = rf"(?:{_NAMED})?"
_A = r"(?:(?:an?|einer?)\s)?[*_]{0,2}"
# The end of the second number: no digit, percentage or fraction goes on with it.
_END = r"(?![\d%/]|[.,]\d)"
BETWEEN = (
    rf"(?:(?:between|zwischen|giữa)\s{_A}{_N}{_UNIT}[*_]{{0,2}}\s?(?:and|und|và|to|&|-"
    rf"|–)\s?{_A}{_N}{_END}{_UNIT}"
    rf"|{_N}{_UNIT}\s?(?:과|와|에서|부터|と|から|到|至|和|与|~|〜|-"
    rf"|–)\s?{_N}{_END}{_UNIT}\s?(?:의\s)?(?:사이|중간|の間|の中間|之间|之間)"
    rf"|{_N}{_UNIT}\s?(?:-|–|~|〜|to|bis|đến|到|至|から|에서)\s?{_N}{_END}{_NAMED}(?!\s?까지|まで"
    rf"|\s?(?:만점|満点)))"
)
_PLACE = re.compile(
    rf"(?:(?:somewhere|around|about|khoảng|từ|약|대략|约|大约|介于|在"
    rf"|irgendwo)\s?)?(?P<two>{BETWEEN})"
    r"\s?[*_]{0,2}(?=$|[\s.,;:!)(）（—–-])",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"\d{1,4}(?:[.,]\d{1,3})?")


def says_between(text: str) -> bool:
    """Whether the text begins with two values and says that the grade lies between them."""
    return bool(_PLACE.match(text))


def is_one_grade(scale: Scale, text: str) -> bool:
    """Whether the two values lie on the scale and close enough together to mean one grade; the
    scale's own ends do not."""
    ends, bounds = _ends(text), _bounds(scale)
    if ends is None or bounds is None:
        return False
    (low, high), (least, most) = ends, bounds
    width = most - least
    return (
        least <= low
        and high <= most
        and high - low <= (max(1.0, width / 10) if width > 2 else width / 5)
    )


def midpoint(scale: Scale, text: str) -> Value:
    """The value in the middle of the two that the text begins with. Raises NotAValue where the
    scale does not hold it, or the two do not mean one grade."""
    low, high = _ends(text) or (0.0, 0.0)
    if not isinstance(scale, Number) or not is_one_grade(scale, text):
        raise NotAValue(f"{low:g} to {high:g} is no value of the scale")
    return scale.read((low + high) / 2)


def _ends(text: str) -> tuple[float, float] | None:
    found = _PLACE.match(text)
    if not found:
        return None
    low, high = sorted(float(each.replace(",", ".")) for each in _NUMBERS.findall(found["two"])[:2])
    return low, high


def _bounds(scale: Scale) -> tuple[float, float] | None:
    if isinstance(scale, Integer | Number):
        return scale.min, scale.max
    return (min(scale.levels), max(scale.levels)) if isinstance(scale, Ordinal) else None
