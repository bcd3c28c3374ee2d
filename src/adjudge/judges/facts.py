"""What code can find in two texts: numbers and names in which they differ.

A small model overlooks that 10.000 became 13.000. Shown the two side by side it does not. What the
difference means is left to the model: figures that a text adds may be right, and a name may be left
out with good reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from adjudge.core.judge import Judge

# The words of a criterion that asks whether a text is right, in the languages of the prompts.
_TRUTH = re.compile(
    r"fact|accura|consisten|correct|faithful|grounded|hallucinat|contradict|\bagree|\b(?:un)?true\b"
    r"|\bwrong|same as|정확|사실|일치|올바|오류|모순|근거"
    r"|chính xác|đúng|sự thật|khớp|mâu thuẫn|sai\b",
    re.IGNORECASE,
)
_MOST = 5  # lines; more would hide the texts
# A judged text is compared with the first of these inputs that there is.
_AGAINST = ("reference", "source")
# A capital inside a sentence. Only names of the trusted text are shown: a judged text could
# have the code repeat words that look like a name.
_NAME = re.compile(
    r"(?<![.!?:\n\"“(] )(?<!^)(?<!\w)[A-ZÀ-ÖØ-ÞĐ][\w’'-]+(?: [A-ZÀ-ÖØ-ÞĐ][\w’'-]+){0,3}"
)
_MANY_NAMES = 0.25  # of all words: a language that writes nouns with a capital


class _Words(NamedTuple):
    intro: str
    instead: str
    renamed: str
    missing: str
    added: str
    same: str


_WORDS = {
    "en": _Words(
        "A program compared the numbers and names of the two texts:",
        "{against} says “{one}”, {judged} says “{other}”: a different number is a serious error.",
        "{against} says “{one}”, {judged} has another name there: a wrong name is a serious error.",
        "{against} says “{one}”, which is missing from {judged}.",
        "{judged} says “{other}”, which is not in {against}.",
        "Every number of {against} is also in {judged}.",
    ),
    "ko": _Words(
        "프로그램으로 두 글의 숫자와 이름을 비교한 결과입니다.",
        "{against}: “{one}”, {judged}: “{other}”. 숫자가 다르면 중대한 오류(serious error)입니다.",
        "{against}: “{one}”, {judged}: 다른 이름. 이름이 틀리면 중대한 오류(serious error)입니다.",
        "{against}에 있는 “{one}” 내용이 {judged}에는 없습니다.",
        "{judged}에 있는 “{other}” 내용이 {against}에는 없습니다.",
        "{against}에 있는 숫자가 {judged}에도 모두 있습니다.",
    ),
    "vi": _Words(
        "Chương trình đã đối chiếu con số và tên riêng của hai văn bản:",
        "{against} ghi “{one}”, {judged} ghi “{other}”: con số khác nhau là sai nghiêm trọng"
        " (serious error).",
        "{against} ghi “{one}”, {judged} lại ghi tên khác: sai tên là sai nghiêm trọng"
        " (serious error).",
        "{against} ghi “{one}”, nhưng {judged} không nhắc đến.",
        "{judged} ghi “{other}”, nhưng {against} không có.",
        "Mọi con số trong {against} đều có trong {judged}.",
    ),
}


class TextFacts(NamedTuple):
    """Lines for the prompt, and whether one of them names an error."""

    text: str = ""
    error: bool = False


class Compared(NamedTuple):
    """The names of two inputs."""

    judged: str
    against: str


def compared(judge: Judge, texts: Mapping[str, str]) -> Compared | None:
    """The one judged text, and the `reference` or else the `source`; None without such texts."""
    against = next((name for name in _AGAINST if name in judge.inputs), None)
    if against is None or len(judge.judged) != 1 or judge.verbatim:
        return None
    (judged,) = judge.judged
    if not texts[against].strip() or not texts[judged].strip():
        return None
    return Compared(judged, against)


def about_truth(judge: Judge, criteria: Iterable[str]) -> bool:
    """Whether one of the criteria asks if the text is right: one that asks how well it is written,
    or if it is to the point, must not go by an error that was found."""
    chosen = (judge.rubric.criteria[name] for name in criteria)
    return any(
        _TRUTH.search(f"{criterion.name} {criterion.title} {criterion.guide}")
        for criterion in chosen
    )


def facts(judge: Judge, texts: Mapping[str, str]) -> TextFacts:
    """In the prompt's language; without text where there is nothing to compare or to say.

    Figures that a text adds count against a source alone, and only where no other input has them.
    """
    names = compared(judge, texts)
    if names is None:
        return TextFacts()
    judged, against = names
    words = _WORDS.get(judge.wording.language, _WORDS["en"])
    titles = {"against": judge.inputs[against].title, "judged": judge.inputs[judged].title}
    context = "\n".join(text for name, text in texts.items() if name not in (judged, against))
    find = _against_source if against == "source" else _against_reference
    lines = list(find(words, texts[against], texts[judged], context))[:_MOST]
    # Of a source this is not said: the model would have nothing else to say of any aspect.
    if not lines and against == "reference" and quantities(texts[against]):
        lines = [words.same]
    bullets = [f"- {line.format(**titles)}" for line in lines]
    if not bullets:
        return TextFacts()
    error = against == "source" or any("serious error" in line for line in lines)
    return TextFacts("\n".join([words.intro, *bullets]), error)


def _against_reference(words: _Words, reference: str, answer: str, context: str) -> Iterator[str]:
    lacking = []
    for one, instead in differences(quantities(reference), quantities(answer), quantities(context)):
        if instead is None:
            lacking.append(one.text)
        else:
            yield _filled(words.instead, one=one.text, other=instead.text)
    names = _without(_names(reference), answer)
    # How many names the answer has of its own, not which: see _NAME.
    others = len(_without(_names(answer), f"{reference}\n{context}"))
    yield from (_filled(words.renamed, one=name) for name in names[:others])
    yield from (_filled(words.missing, one=text) for text in (*lacking, *names[others:]))


def _without(names: list[str], text: str) -> list[str]:
    folded = text.casefold()
    return [name for name in names if name.casefold() not in folded]


def _against_source(words: _Words, source: str, text: str, context: str) -> Iterator[str]:
    known = quantities(source) + quantities(context)
    for added in quantities(text):
        if not any(added.same(quantity) for quantity in known):
            yield _filled(words.added, other=added.text)


def _filled(words: str, **values: str) -> str:
    for name, value in values.items():
        words = words.replace(f"{{{name}}}", value.replace("{", "").replace("}", ""))
    return words


def _names(text: str) -> list[str]:
    names = _NAME.findall(text)
    if len(names) > _MANY_NAMES * len(text.split()):
        return []
    return [name for name in dict.fromkeys(names) if not quantities(name)]


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
_COUNT_WORDS = {
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
    rf"(?<!\w)(?P<number>{_either(_COUNT_WORDS)})(?:[ -](?P<many>{_either(_MANY)})(?!\w))?"
    rf"[ -](?P<unit>{_UNIT})"
)
_NAMED_QUANTITY = re.compile(rf"(?<!\w)(?P<name>{_either(_NAMED)})")


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
    matches = [
        match for form in (_FIGURE, _IN_WORDS, _NAMED_QUANTITY) for match in form.finditer(plain)
    ]
    return [_quantity(match) for match in sorted(matches, key=re.Match.start)]


def _quantity(match: re.Match[str]) -> Quantity:
    if match.re is _NAMED_QUANTITY:
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
    if number in _COUNT_WORDS:
        return float(_COUNT_WORDS[number])
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", number):
        return float(re.sub("[.,]", "", number))
    hours, colon, minutes = number.partition(":")
    if colon:
        return float(hours) + float(minutes) / 60
    return float(number.replace(",", "."))


_DURATIONS = frozenset({"time", "months"})


def differences(
    expected: list[Quantity], other: list[Quantity], context: list[Quantity]
) -> Iterator[tuple[Quantity, Quantity | None]]:
    """What `other` lacks of `expected`, each with what stands there instead, None for nothing.

    What the `context` has too, a question for instance, never counts as standing there instead.
    """
    known = (*expected, *context)
    unexpected = [quantity for quantity in other if not any(map(quantity.same, known))]
    for one in expected:
        if any(one.same(quantity) for quantity in other):
            continue
        instead = next((quantity for quantity in unexpected if _alike(one, quantity)), None)
        if instead is not None:
            unexpected.remove(instead)
        yield one, instead


def _alike(one: Quantity, other: Quantity) -> bool:
    """Whether the two may be meant for the same: of one kind, or one of them of no known kind."""
    kinds = {one.dimension, other.dimension}
    if "weekday" in kinds or "month name" in kinds:
        return len(kinds) == 1
    return len(kinds) == 1 or "" in kinds or kinds <= _DURATIONS
