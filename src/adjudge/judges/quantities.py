"""Numbers, days of the week and months in a text, so that two texts can be compared.

Reads figures in any script's digits and small numbers in words, in English, Korean and Vietnamese.
10.000 and 10,000 are the same, and so are 24 hours and 1 day.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Unit as it is written → its dimension and how many of the dimension's smallest unit it is.
_TIME = {
    1: "minute minutes min mins phút 분",
    60: "hour hours hr hrs h giờ tiếng 시 시간",
    1440: "day days ngày hôm 일",
    10080: "week weeks tuần 주 주일",
}
_MONTHS = {1: "month months tháng 월 개월 달", 12: "year years năm 년 살"}
_ALONE = (
    "% percent 퍼센트 프로", "đồng đ vnd vnđ", "원 won", "$ dollar dollars usd đô đô-la 달러",
    "€ euro euros eur 유로", "km kilometre kilometres kilometer kilometers cây 킬로미터",
    "m metre metres meter meters mét 미터",
    "kg kilogram kilograms kilo cân 킬로그램 킬로", "g gram grams 그램", "°c độ 도 degrees degree",
    "ml mililit 밀리리터", "l litre litres liter liters lít 리터", "gb", "mb",
    "people persons person người 명 사람", "times time lần 번 회",
)  # fmt: skip
_UNITS: dict[str, tuple[str, int]] = {
    **{word: ("time", size) for size, words in _TIME.items() for word in words.split()},
    **{word: ("months", size) for size, words in _MONTHS.items() for word in words.split()},
    **{word: (words.split()[0], 1) for words in _ALONE for word in words.split()},
}
_MANY = {
    "k": 1e3, "nghìn": 1e3, "ngàn": 1e3, "thousand": 1e3, "천": 1e3, "만": 1e4, "백만": 1e6,
    "million": 1e6, "triệu": 1e6, "tr": 1e6, "억": 1e8, "billion": 1e9, "tỷ": 1e9, "tỉ": 1e9,
}  # fmt: skip
_DAYS = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "thứ-hai thứ-ba thứ-tư thứ-năm thứ-sáu thứ-bảy chủ-nhật",
    "월요일 화요일 수요일 목요일 금요일 토요일 일요일",
)
# Without May, which is a verb more often.
_MONTH_NAMES = "january february march april - june july august september october november december"
_NAMED = {
    name.replace("-", " "): (kind, value)
    for kind, lists in (("weekday", _DAYS), ("month name", (_MONTH_NAMES,)))
    for names in lists
    for value, name in enumerate(names.split(), 1)
    if name != "-"
}
_WORDS = {
    word: value
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "một hai ba bốn năm sáu bảy tám chín mười",
        "한 두 세 네 다섯 여섯 일곱 여덟 아홉 열",  # 한도 is no number: a space must follow
    )
    for value, word in enumerate(words.split(), 1)
    if value > 1  # "one" is an article as often
}


def _either(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_NUMBER = r"\d{1,3}(?:[.,]\d{3})+(?![\d])|\d+[.,:]\d+|\d+"
# A letter after a Latin unit would make it another word; Korean units take endings (원은, 시에).
_UNIT = rf"(?:{_either(_UNITS)})(?:(?<![a-zà-ỹđ])|(?![a-zà-ỹđ]))"
_FIGURE = re.compile(
    rf"(?<![\w.,])(?P<before>[$€])?(?P<number>{_NUMBER})"
    rf"(?:[ -]?(?P<many>{_either(_MANY)})(?![a-zà-ỹđ]))?(?:[ -]?(?P<unit>{_UNIT}))?"
)
_IN_WORDS = re.compile(
    rf"(?<!\w)(?P<number>{_either(_WORDS)})(?:[ -](?P<many>{_either(_MANY)})(?!\w))?"
    rf"[ -](?P<unit>{_UNIT})"
)
_NAME = re.compile(rf"(?<!\w)(?P<name>{_either(_NAMED)})")


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` in the smallest unit of its dimension, which is "" where no known unit stands by it.

    `text` is how it was written.
    """

    value: float
    dimension: str
    text: str

    def same(self, other: Quantity) -> bool:
        """A missing unit is taken for the other's."""
        if self.dimension and other.dimension and self.dimension != other.dimension:
            return False
        if self.dimension == other.dimension:
            return self.value == other.value
        return _figure(self.text) == _figure(other.text)


def quantities(text: str) -> list[Quantity]:
    """In the order in which they stand."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    found = [match for form in (_FIGURE, _IN_WORDS, _NAME) for match in form.finditer(plain)]
    return [_quantity(match) for match in sorted(found, key=re.Match.start)]


def _quantity(match: re.Match[str]) -> Quantity:
    if match.re is _NAME:
        kind, place = _NAMED[match["name"]]
        return Quantity(float(place), kind, match["name"])
    unit = match["unit"] or match.groupdict().get("before") or ""
    dimension, size = _UNITS.get(unit, ("", 1))
    value = _value(match["number"]) * _MANY.get(match["many"] or "", 1)
    return Quantity(value * size, dimension, " ".join(match[0].split()))


def _figure(text: str) -> float:
    match = _FIGURE.match(text) or _IN_WORDS.match(text)
    return _value(match["number"]) * _MANY.get(match["many"] or "", 1) if match else float("nan")


def _value(number: str) -> float:
    if number in _WORDS:
        return float(_WORDS[number])
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", number):
        return float(re.sub("[.,]", "", number))
    hours, colon, minutes = number.partition(":")
    if colon:
        return float(hours) + float(minutes) / 60
    return float(number.replace(",", "."))


_DURATIONS = frozenset({"time", "months"})


def differences(
    of: list[Quantity], other: list[Quantity], also: list[Quantity]
) -> Iterator[tuple[Quantity, Quantity | None]]:
    """What `other` lacks of `of`, each with what stands there instead, None where nothing does.

    What is `also` known, from a question for instance, stands there in the place of nothing.
    """
    strange = [each for each in other if not any(each.same(one) for one in (*of, *also))]
    for one in of:
        if any(one.same(each) for each in other):
            continue
        instead = next((each for each in strange if _alike(one, each)), None)
        if instead is not None:
            strange.remove(instead)
        yield one, instead


def _alike(one: Quantity, other: Quantity) -> bool:
    """Whether the two may be meant for the same: of one kind, or one of them of no known kind."""
    kinds = {one.dimension, other.dimension}
    if "weekday" in kinds or "month name" in kinds:
        return len(kinds) == 1
    return len(kinds) == 1 or "" in kinds or kinds <= _DURATIONS
