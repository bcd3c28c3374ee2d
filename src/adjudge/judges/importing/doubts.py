"""What in a prompt speaks against what was read from it: independent evidence, held side by side.

The form of a reply, titles with a range, how many criteria a sentence speaks of, the scores that
it mentions and the examples are read apart from one another. Where they disagree, the finding that
they disagree with is no longer sure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from adjudge.core.reason import Reason

from .choice import CLOSE, OPEN, TIE
from .findings import ImportFindings
from .labels import SCALED, CriterionFound, from_lines
from .numerals import (
    COUNTED,
    MARK,
    MOST,
    NUMBER,
    is_of_confidence,
    number_of,
    words_after,
    words_before,
)
from .titles import from_titles
from .vocabulary import words
from .words import RATINGS, SUMS, spaced

_IN_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "deux": 2, "trois": 3,
    "quatre": 4, "cinq": 5, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "dois": 2,
    "duas": 2, "três": 3, "quatro": 4, "hai": 2, "ba": 3, "bốn": 4, "năm": 5, "sáu": 6,
    "두": 2, "세": 3, "네": 4, "다섯": 5, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "二": 2,
}  # fmt: skip
# "score it on three dimensions", 다음 5가지 기준, 从五个维度, 4 tiêu chí
_SCORED = words("score", "give")
_COUNT = re.compile(
    rf"(?<![\w.,-])(?P<count>\d{{1,2}}|{'|'.join(_IN_WORDS)})\s?(?:가지|개의?|个|個|つの)?\s?"
    r"(?:(?:following|different|key|separate|main|distinct|평가|评分|评价|評価) ?){0,2}"
    rf"(?:criteri\w*|dimensions?|aspects?|metrics?|axes|categories|{words('criteria')})",
    re.IGNORECASE,
)
# A score that the text speaks of: "a score of 0", "rate it 10", 0점, 打0分, "give 3 points"
_SPOKEN = re.compile(
    rf"(?:\b(?:score|rating|grade|note|nota|punktzahl|điểm)\b(?: (?:of|is|as|von|de|là))?\s?[:=]?"
    rf"|{words('give')})\s?{MARK}[-−+]?$",
    re.IGNORECASE,
)
_POINTS = re.compile(r"점(?:[^\d]|$)|分(?![钟鐘析类別别数布配])|点(?:[^数在]|$)")
_NUMBER = re.compile(NUMBER)
_QUOTED_TIE = re.compile(rf"{OPEN}(?:{TIE.pattern}){CLOSE}", re.IGNORECASE)
_MOST = 200


def cross_check(
    text: str,
    criteria: Sequence[CriterionFound],
    entries: Mapping[str, Mapping[str, Any]],
    judged: Sequence[str],
    findings: ImportFindings,
) -> None:
    """Adds to the findings what speaks against them."""
    for said in _of_criteria(text, criteria, entries, judged):
        findings.doubt("criterion", said, "criteria")
        break
    for criterion in criteria:
        scale = entries[criterion.name].get("scale", {})
        for said in _of_scale(text, criterion, scale, len(criteria)):
            findings.doubt("scale", said, "scale", criterion.name)
            break


def _of_criteria(
    text: str,
    criteria: Sequence[CriterionFound],
    entries: Mapping[str, Mapping[str, Any]],
    judged: Sequence[str],
) -> Iterator[Reason]:
    known = {spaced(one.title) for one in criteria} | {spaced(one.name) for one in criteria}
    ranged = [
        one for one in [*from_titles(text), *from_lines(text)]
        if spaced(one.title) not in known and one.title not in RATINGS | SUMS
    ]  # fmt: skip
    numeric = all("min" in one.get("scale", {}) or "levels" in one.get("scale", {})
                  for one in entries.values())  # fmt: skip
    if len(ranged) > len(criteria):
        yield Reason("import.doubt.own_ranges", titles=tuple(one.title for one in ranged[:5]))
    if len(criteria) == 1:
        for match in islice(_COUNT.finditer(text), _MOST):
            count = _IN_WORDS.get(match["count"].casefold()) or int(match["count"])
            near = words_before(text, match.start(), 40) + words_after(text, match.end(), 40)
            if 1 < count < 20 and numeric and re.search(_SCORED, near, re.IGNORECASE):
                yield Reason("import.doubt.count", count=count)
        several = _RANGES_IN_LINE.search(text)
        if several and numeric and not criteria[0].own:
            yield Reason("import.doubt.several_ranges", words=several[0])
        per_entry = _EACH_ENTRY.search(text)
        if per_entry:
            yield Reason("import.doubt.per_entry", words=per_entry[0])
        listed = _ON_SEVERAL.search(text)
        if listed and numeric:
            yield Reason("import.doubt.one_by_one", words=listed["list"])
    if numeric and len(judged) > 1 and len(criteria) == 1:
        yield Reason("import.doubt.together", inputs=tuple(judged))


# 正確性（1〜5）と流暢さ（1〜5）で評価: titles with a range each, within a sentence
_RANGES_IN_LINE = re.compile(rf"\w[(（]{SCALED}[)）][^\n。.]{{1,40}}?\w\s?[(（]{SCALED}[)）]")
# 每条声明逐一判断, "for each claim, say": a value of each entry of a list
_EACH_ENTRY = re.compile(
    r"\b(?:for|to) each (?:claim|statement|sentence|step|question)s?,? (?:\w+ ){0,3}"
    r"(?:say|output|write|give|assign|decide|answer|return|label)"
    r"|(?:每[条个句](?:声明|主张|陈述|句子|步骤))?逐[一条句](?:判断|判定|评分|打分|标注)"
    r"|각 ?(?:주장|문장|단계|문항)(?:별로|마다|에 대해)|từng (?:khẳng định|nhận định|câu|bước)"
    r"|各(?:主張|文|ステップ)(?:ごと|について)",
    re.IGNORECASE,
)
# "Score the translation on adequacy, fluency and style"
_ON_SEVERAL = re.compile(
    r"\b(?:scor|rat|grad)(?:e|ing)\b[^.\n,]{0,60}\b(?:on|for)\s"
    r"(?P<list>(?:[a-z][\w-]+(?: [a-z][\w-]+)?(?:, (?:and )?| and )){2,9}[a-z][\w-]+)",
    re.IGNORECASE,
)


def _of_scale(
    text: str, criterion: CriterionFound, scale: Mapping[str, Any], count: int
) -> Iterator[Reason]:
    bounds = _bounds(scale)
    if bounds is not None:
        low, high = bounds
        for value in criterion.shown:
            if re.fullmatch(NUMBER, value) and not low <= number_of(value) <= high:
                yield Reason("import.doubt.example", value=value)
        if count == 1:
            for spoken in _spoken(text):
                if not low <= spoken <= high:
                    yield Reason("import.doubt.spoken", score=f"{spoken:g}")
    options = [str(option) for option in scale.get("options", ())]
    if options and not any(TIE.fullmatch(option) for option in options) and len(options) == 2:
        match = _QUOTED_TIE.search(text)
        if match:
            yield Reason("import.doubt.there_too", others=(match[0],))


def _bounds(scale: Mapping[str, Any]) -> tuple[float, float] | None:
    if "levels" in scale:
        return min(scale["levels"]), max(scale["levels"])
    return (scale["min"], scale["max"]) if "min" in scale else None


def _spoken(text: str) -> Iterator[float]:
    """The scores that sentences of the prompt speak of."""
    for match in islice(_NUMBER.finditer(text), MOST):
        before, after = words_before(text, match.start(), 30), words_after(text, match.end())
        named = _SPOKEN.search(before) and not re.match(r"[\d%:/.-]|,\d", after)
        counted = _POINTS.match(after) and not re.search(r"[\d.,~〜–-]$", before)
        if (named or counted) and not COUNTED.match(after) and not is_of_confidence(before):
            yield number_of(match[0])
