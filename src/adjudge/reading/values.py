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

from adjudge.core.reason import Reason
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

from .verdicts import contradicts
from .vocabulary import ANOTHER_ASPECT, option_names, third_for_tie

# A value stands at the beginning of its place; what comes later cannot change it.
_LONGEST = 300
DECORATION = " \t\r\n*_`\"'“”‘’「」[]{}<>()|=~"
_N = r"\d+(?:[.,]\d+)?"
NUMBER = re.compile(rf"[-+]?{_N}|[-+]?\.\d+")
_OUT_OF = re.compile(
    rf"^\s*[(（,，]?\s*(?:/|\bout of\b|\bof\b|\b(?:de|sur|sobre|em)\b"
    rf"|\btrên\b(?:\s+thang(?:\s+điểm)?)?|\bvon\b|(?:점|点|分)\s*/"
    rf"|满分|滿分|満点)\s*(?:a\s+)?(?P<top>{_N})"
    rf"|^\s*[(（]\s*(?P<behind>{_N})\s*(?:점\s*만점|点満点|分满分|分滿分)",
    re.IGNORECASE,
)
# "5점 만점에 3점", "5点満点中4点", "满分5分，得4分": the end of the scale, then the value
TOP_FIRST = re.compile(
    rf"^(?:(?P<a>{_N})\s*(?:점\s*만점(?:에서|에|\s*중에?)|点満点(?:中|で|の|のうち)"
    rf"|分满分[,，]?(?:得|给)?)|(?:满分|滿分|満点)(?:为|是)?\s*(?P<b>{_N})\s*[分点]?(?:中"
    rf"|[,，、]?\s*(?:得分?|给|评|打)?))\s*(?=\d)"
)
# What may stand right after a number: a unit, then the end, punctuation or a remark in brackets.
_UNIT = re.compile(
    r"^\s*(?:점|点|分|điểm\b|points?\b|stars?\b|punkt(?:en?)?\b|stern(?:en?)?\b)", re.IGNORECASE
)
_UNIT_BEHIND = re.compile(r"\s*(?:점|点|分|điểm|points?|stars?|punkte?)$")
_REST = re.compile(
    r"^\s*(?:$|[A-Z][a-z]{3,}\s*:|[.,;:!)\]}*_`\"'|\-–—(（]|→\s*$|입니다|です|。|，)"
)
_UNFILLED = re.compile(r"[.,][XxNn?_]{1,3}(?!\w)")  # "0.X", a form sent back
# A numeral alone or with its unit: inside a word these signs mean other things.
_HAN_NUMERALS = "〇一二三四五六七八九十"
_HAN = re.compile(
    rf"^(?:(?P<tens>[一二三四五六七八九]?)十(?P<ones>[一二三四五六七八九])|(?P<round>[二三四五六七八九])十"
    rf"|[{_HAN_NUMERALS}])(?=\s*(?:[点分星颗顆점]|$|[.,。/]))"
)
# "Good (3)": a remark, then the value. The closing bracket is stripped as decoration.
_IN_BRACKETS = re.compile(rf"^[^\W\d][^\d()]{{0,30}}\(({_N})\)?$")
# A second number right behind the first: a range, a list, a choice.
_ANOTHER = re.compile(
    r"[\s\[\](),;/|~–—-]*(?:(?:or|and|to|maybe|perhaps|possibly|no|wait|rather|actually"
    r"|oder|bis|hoặc|đến)\b[\s,\[(]*){1,4}\d|[\s\[\](),;/|~–—-]*(?:(?:또는|혹은|或者?|または|か|\.{2,3})\s*)?\d"
)
_WORD_BEHIND = re.compile(r"[\]*_]{1,6}\s?[a-zà-ỹ가-힣ぁ-ヿ一-鿿]")
_RATIO = re.compile(r":\d")  # "3:1"
# "<3" bounds the value and does not give it; "<3>" is a value that replaces its placeholder.
_BOUND = re.compile(r"^[\s*_`]*(?:[≤≥≠]|[<>]=?\s*[\d.,]+(?![\d.,]*\s*>))")
_CHOICE = re.compile(
    r"^(?:assistant|answer|response|output|model|option|candidate|system|답변|câu trả lời|回答)"
    r"[\s(\[]*",
    re.IGNORECASE,
)
_PERCENT = 100
_PICTURE = re.compile(  # "✅ Approved"
    r"^[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\s]+|[*_\s]*[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\s]+$"
)
# "5 → 3": changed from one to the other; "4 - 1 = 3": worked out
_CHANGED = re.compile(rf"^{_N}\s*(?:→|⟶|->|=>|➜)\s*(?=\d)")
_MINUS = str.maketrans("−–", "--")
_WORKED_OUT = re.compile(rf"^(?P<sum>{_N}(?:\s*[-+−–]\s*{_N})+)\s*=\s*(?={_N})")
# A number's word that is all that stands there, except for a unit.
_WORDS = {
    word: number
    for words in (
        "zero one two three four five six seven eight nine ten",
        "không một hai ba bốn năm sáu bảy tám chín mười",
        "null eins zwei drei vier fünf sechs sieben acht neun zehn",
        "영 하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열",
        "공 일 이 삼 사 오 육 칠 팔 구 십",
    )
    for number, word in enumerate(words.split())
}
_STAR_SIGNS = "★⭐🌟☆✩"
_STARS = re.compile(r"((?:[★⭐🌟]\ufe0f?\s?){1,10})((?:[☆✩]\s?){0,10})(?=$|[\s(,.:;–—-])")
# "<points>4</points>": what the tag is called matters no more, once it is in the score's place.
_TAGGED = re.compile(r"^<([A-Za-z][\w-]{0,30})>\s*([^<>]{1,60}?)\s*</\1>\W{0,3}$")
_YES_AND_NO = re.compile(r"(?:yes\W+(?:and\W+|or\W+)?no|no\W+(?:and\W+|or\W+)?yes)", re.IGNORECASE)
PASSED = frozenset(["pass", "passed", "correct", "정답", "합격", "通过", "正确", "合格", "正解"])
FAILED = frozenset(
    ["fail", "failed", "incorrect", "오답", "불합격", "不通过", "错误", "不合格", "不正解"]
)


def parse_value(scale: Scale, raw: object) -> Value:
    """Raises OffScale or NotAValue as Scale.read does."""
    if not isinstance(raw, str):
        return scale.read(raw)
    raw = raw.strip()[:_LONGEST]
    try:
        return scale.read(raw)  # written to the letter, whatever signs it consists of
    except NotAValue:
        text = _undecorated(raw)
    if isinstance(scale, Category | Binary):
        return scale.read(_choice(scale, text))
    if scale.values() == (0, 1) and not re.search(r"\d", text):
        return scale.read(int(Binary().read(_choice(Binary(), text))))  # "Yes, it does."
    return _number_of(scale, raw, text)


def _number_of(scale: Scale, raw: str, text: str) -> Value:
    if _BOUND.match(raw):
        raise NotAValue(Reason("value.bound", text=_short(raw)))
    if _BETWEEN_TWO.match(text):
        return midpoint(scale, text)
    if stars := _STARS.match(text):
        return scale.read(_counted(scale, stars))
    try:
        value = scale.read(text.rstrip(".!。！"))
    except NotAValue:
        value = scale.read(leading_number(text, scale))
        if isinstance(scale, Ordinal):
            _agrees_with_label(scale, int(value), text)
    if isinstance(scale, Ordinal) and not raw[:1].isdigit():
        named = _level_named(scale, raw.strip(DECORATION))  # "Excellent (1)"
        if named not in {None, value}:
            raise NotAValue(Reason("value.two_levels", text=_short(raw), value=value))
    return value


def _counted(scale: Scale, stars: re.Match[str]) -> int:
    """How many stars are filled; the empty ones must fill the scale up."""
    filled, empty = (sum(sign in _STAR_SIGNS for sign in stars[group]) for group in (1, 2))
    if empty and filled + empty != _top(scale):
        raise NotAValue(Reason("value.stars", filled=filled, all=filled + empty, top=_top(scale)))
    return filled


def _undecorated(raw: str) -> str:
    if raw.startswith("<"):
        raw = _TAGGED.sub(r"\2", raw)
    text = unicodedata.normalize("NFKC", raw).strip(DECORATION)
    text = _IN_BRACKETS.sub(r"\1", re.sub(r"^[-•]\s+", "", text))
    text = _CHANGED.sub("", text)
    text = _result(text)
    return _HAN.sub(_from_han, text)


def _from_han(match: re.Match[str]) -> str:
    digit = _HAN_NUMERALS.index
    if match["round"]:
        return f"{digit(match['round'])}0"
    if match["ones"]:
        return str(10 * digit(match["tens"] or "一") + digit(match["ones"]))
    return str(digit(match[0]))


def _result(text: str) -> str:
    """ "4 - 1 = 3" → "3", where that is what comes of it."""
    match = _WORKED_OUT.match(text)
    if not match:
        return text
    terms = re.findall(rf"[-+−–]?\s*{_N}", match["sum"])
    total = sum(_as_float(re.sub(r"\s", "", term).translate(_MINUS)) for term in terms)
    rest = text[match.end() :]
    result = NUMBER.match(rest)
    return rest if result and abs(_as_float(result[0]) - total) < 1e-9 else text


def holds_value(scale: Scale, raw: object) -> bool:
    """Whether a value stands there; one off the scale counts, being still what was said."""
    try:
        parse_value(scale, raw)
    except OffScale:
        return True
    except NotAValue:
        return False
    return True


def _choice(scale: Binary | Category, text: str) -> str:
    """The option's name without what is put around it: "Assistant A.", "b (clearly better)"."""
    if text.endswith((":", "：")):  # "Correct:", a label whose value did not come
        raise NotAValue(Reason("value.no_option", raw=_short(text)))
    bare = _CHOICE.sub("", _PICTURE.sub("", text)).strip(DECORATION + ".!,;:。")
    bare = re.sub(r"^([^\W_]{1,9})\)", r"\1", bare)  # "(a) as it is shorter" has lost one bracket
    values = scale.values() or ()
    if _YES_AND_NO.fullmatch(bare):
        raise NotAValue(Reason("value.both", text=bare))
    head = re.split(r"\s*[(,;:.。–—]|\s-\s", bare, maxsplit=1)[0].strip(DECORATION)
    known = {folded(str(value)) for value in values}
    if isinstance(scale, Binary):
        known |= {"yes", "no", "true", "false"} | PASSED | FAILED
        known |= {"1", "0"} if bare[1:2] == "(" else set()
    labels = isinstance(scale, Binary) and bare[len(head) :].lstrip().startswith((":", "："))
    headed = folded(bare) not in known and folded(head) in known and not labels
    if headed and contradicts(scale, head, bare[len(head) :]):
        raise NotAValue(Reason("value.both", text=_short(bare)))
    chosen = head if headed else bare
    if isinstance(scale, Category):
        chosen = _option(scale, bare, head)
    if isinstance(scale, Binary) and folded(chosen) in PASSED | FAILED:
        return "yes" if folded(chosen) in PASSED else "no"
    return chosen


# "A: 7, B: 9" scores each option and chooses none.
_SCORED = re.compile(
    r"\s*[:=(–—-]\s*[\[(]{0,2}\d{1,4}(?:[.,]\d{1,2})?(?:\s?/\s?\d{1,4})?\s?"
    r"(?:$|[,;.)\]|%]|points?|stars?|점|点|分|điểm)"
)


def _option(scale: Category, bare: str, head: str) -> str:
    names = option_names(scale.options)
    if len(head) == 1 and head.islower() and head not in scale.options and head != bare:
        head = bare  # "a: perhaps" is a line of YAML, or begins with an article
    for name in (bare, head):
        option = names.get(folded(name)) or names.get(folded(re.sub(r"[_-]+", " ", name)))
        option = option or third_for_tie(scale, name)
        if option is not None:
            if _SCORED.match(bare, len(name)):
                raise NotAValue(Reason("value.scores_options", text=_short(bare)))
            return option
    return bare


def leading_number(text: str, scale: Scale) -> float:
    """The number that the text begins with; the end of the scale may stand on either side."""
    if top_first := TOP_FIRST.match(text):
        _counted_out_of(scale, text, top_first["a"] or top_first["b"])
        text = text[top_first.end() :]
    match = NUMBER.match(text)
    word = _WORDS.get(_UNIT_BEHIND.sub("", text.strip(".!。 ").casefold()))
    if word is not None:
        return float(word)
    if not match:
        raise NotAValue(Reason("value.no_first_number", text=_short(text)))
    rest = text[match.end() :]
    if rest.startswith("]"):  # "[[4]] is not what it deserves"
        rest = rest.lstrip("]*_ ") if _WORD_BEHIND.match(rest) else rest
    unit = _UNIT.match(rest)
    rest = rest[unit.end() :] if unit else rest
    if rest.startswith("%") and _top(scale) == _PERCENT:
        rest = rest[1:]
    if out_of := _OUT_OF.match(rest):
        _counted_out_of(scale, text, out_of["top"] or out_of["behind"])
        if ANOTHER_ASPECT.match(rest, out_of.end()):
            raise NotAValue(Reason("value.several_aspects", text=_short(text)))
        return _as_float(match[0])  # said in full, whatever follows
    if not _REST.match(rest) or any(one.match(rest) for one in (_ANOTHER, _RATIO, _UNFILLED)):
        raise NotAValue(Reason("value.not_plain", text=_short(text)))
    return _as_float(match[0])


def _counted_out_of(scale: Scale, text: str, top: str) -> None:
    if _as_float(top) != _top(scale):
        raise NotAValue(Reason("value.other_top", text=_short(text), top=top, wanted=_top(scale)))


def _top(scale: Scale) -> float:
    bounds = scale_bounds(scale)
    return float(bounds[1]) if bounds else math.nan


def _as_float(numeral: str) -> float:
    return float(numeral.replace(",", "."))


def _agrees_with_label(scale: Ordinal, value: int, text: str) -> None:
    """A number next to another level's label ("2, excellent") says two things: nothing is read."""
    words = set(re.findall(r"[^\W\d_]+", folded(text)))
    for other, level in scale.levels.items():
        if other != value and folded(level.label) in words:
            own = folded(scale.levels[value].label)
            if own not in words:
                raise NotAValue(
                    Reason("value.two_labels", text=_short(text), value=value, label=level.label)
                )
    contradicts_label(scale, value, NUMBER.sub("", text, count=1))


def contradicts_label(scale: Ordinal, value: int, behind: str) -> None:
    """Raises NotAValue where another level's label stands right behind the number."""
    named = _level_named(scale, re.sub(r"^(?:[\s\W_]|an?\b|the\b|is\b){1,12}", "", behind[:120]))
    if named is not None and named != value:
        raise NotAValue(Reason("value.other_label", value=value, named=named))


def _level_named(scale: Ordinal, text: str) -> int | None:
    """The level whose label the text begins with; of several that fit the longest."""
    text = folded(text)
    fits = [
        (len(level.label), value)
        for value, level in scale.levels.items()
        if re.match(rf"{re.escape(folded(level.label))}(?!\w)", text)
    ]
    return max(fits)[1] if fits else None


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


_ONE_OF_TWO = r"(?<![\d.,/])\d{1,4}(?:[.,]\d{1,3})?"
_NAMED_UNIT = r"\s?(?:점|点|分|điểm|points?|stars?|punkt(?:en?)?|stern(?:en?)?)"
_UNIT_OR_NONE = rf"(?:{_NAMED_UNIT})?"
_ARTICLE = r"(?:(?:an?|einer?)\s)?[*_]{0,2}"
# The end of the second number: no digit, percentage or fraction goes on with it.
_NUMBER_END = r"(?![\d%/]|[.,]\d)"
BETWEEN_TWO_GRADES = (
    rf"(?:(?:between|zwischen"
    rf"|giữa)\s{_ARTICLE}{_ONE_OF_TWO}{_UNIT_OR_NONE}[*_]{{0,2}}\s?(?:and|und|và|to|&|-"
    rf"|–)\s?{_ARTICLE}{_ONE_OF_TWO}{_NUMBER_END}{_UNIT_OR_NONE}"
    rf"|{_ONE_OF_TWO}{_UNIT_OR_NONE}\s?(?:과|와|에서|부터|と|から|到|至|和|与|~|〜|-"
    rf"|–)\s?{_ONE_OF_TWO}{_NUMBER_END}{_UNIT_OR_NONE}\s?(?:의\s)?(?:사이|중간"
    rf"|の間|の中間|之间|之間)"
    rf"|{_ONE_OF_TWO}{_UNIT_OR_NONE}\s?(?:-|–|~|〜|to|bis|đến|到|至|から"
    rf"|에서)\s?{_ONE_OF_TWO}{_NUMBER_END}{_NAMED_UNIT}(?!\s?까지|まで"
    rf"|\s?(?:만점|満点|구간|범위|区间|區間|段|帯|range|band|bereich)))"
)
_BETWEEN_TWO = re.compile(
    rf"(?:(?:somewhere|around|about|khoảng|từ|약|대략|约|大约|介于|在"
    rf"|irgendwo)\s?)?(?P<two>{BETWEEN_TWO_GRADES})"
    r"\s?[*_]{0,2}(?=$|[\s.,;:!)(）（—–-])",
    re.IGNORECASE,
)
_BOTH_NUMBERS = re.compile(r"\d{1,4}(?:[.,]\d{1,3})?")


def is_one_grade(scale: Scale, text: str) -> bool:
    """Whether the two values lie on the scale and close enough together to mean one grade; the
    scale's own ends do not."""
    ends, bounds = _two_ends(text), scale_bounds(scale)
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
    low, high = _two_ends(text) or (0.0, 0.0)
    if not isinstance(scale, Number) or not is_one_grade(scale, text):
        raise NotAValue(Reason("value.no_midpoint", low=low, high=high))
    return scale.read((low + high) / 2)


def _two_ends(text: str) -> tuple[float, float] | None:
    match = _BETWEEN_TWO.match(text)
    if not match:
        return None
    low, high = sorted(map(_as_float, _BOTH_NUMBERS.findall(match["two"])[:2]))
    return low, high


def scale_bounds(scale: Scale) -> tuple[float, float] | None:
    """The ends of a scale of numbers; None of any other."""
    if isinstance(scale, Integer | Number):
        return scale.min, scale.max
    return (min(scale.levels), max(scale.levels)) if isinstance(scale, Ordinal) else None
