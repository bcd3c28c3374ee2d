"""The scale that a prompt speaks of: labelled levels, a range, yes or no, choices."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from .choices import find_choices
from .levels import find_levels
from .options import scale_of_range

_NUMBER = r"-?\d{1,3}(?:\.\d+)?"
_UNIT = r"\s*(?:점|点|分|điểm|points?|stars?)?\s*"
_RANGE = re.compile(
    rf"(?<![\d.,/-])(?P<low>{_NUMBER}){_UNIT}(?:[(（][^()（）\n]{{1,30}}[)）]\s*)?"
    r"(?P<sign>-|–|—|~|〜|～|to\b|through\b|and\b|đến\b|tới\b|부터|에서|到|至|から|—|\.\.)"
    rf"\s*(?:\(\w+\)\s*)?(?P<high>{_NUMBER})(?![\d%/]|\.\d)",
    re.IGNORECASE,
)
# Words near a range that make it one of scores.
_CUE = re.compile(
    r"scal|scor|rat(?:e|ing)|grad|mark|point|star|between|điểm|thang|đánh giá"
    r"|점수|점|척도|평가|평점|分|评|打分|点|評価|スコア|採点|skala|bewert|punkt|note",
    re.IGNORECASE,
)
_SCORED = re.compile(
    r"scor|rating|\brate|grade|verdict|label|assign|return|output|respond|điểm|점수|평점|分|点|スコア",
    re.IGNORECASE,
)
_CUE_BEHIND = re.compile(
    r"\W*(?:\w{0,2}(?:점|点|分|까지|評価|评|スコア)|scale|điểm|stars?\b|rating|scor)"
)
# A range so near the beginning of its line may belong to words in the line above.
_WRAPPED = 20
_FROM = re.compile(r"(?:\bfrom|\btừ|从|\bvon)\s*$", re.IGNORECASE)
_COUNTED = re.compile(
    r"^\s*(?:\w+\s+)?(?:words?|sentences?|paragraphs?|items?|examples?|steps?|strengths?|lines?|ways?"
    r"|câu|từ|bước|문장|개|단어|句|字|文字|文|criteria|specific|concrete)\b",
    re.IGNORECASE,
)
_FLOAT = re.compile(
    r"\bfloat|decimal|real number|số thực|số thập phân|소수|실수|小数|浮点|one decimal",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"""["'“‘「`]?\byes["'”’」`]?\s*(?:/|or|,)\s*["'“‘「`]?no\b|\btrue["'”`]?\s*(?:/|or)\s*["'“`]?false\b"""
    r"|[\"'“‘`]Y[\"'”’`]\s*(?:/|or)\s*[\"'“‘`]N[\"'”’`]"
    r"|예\W{0,4}(?:또는|혹은|/)\W{0,3}아니[오요]|\bcó\W{0,3}(?:hoặc|hay|/)\W{0,3}không\b"
    r"|是\W{0,3}(?:或者?|/)\W{0,3}否|はい\W{0,3}(?:か|または|/)\W{0,3}いいえ",
    re.IGNORECASE,
)
# "a score of 1, 2 or 3", "a verdict of 1 if it holds and 0 if it does not".
_LISTED = re.compile(
    r"\b(?P<first>\d{1,2})(?:\s*,\s*\d{1,2}){0,9},?\s*(?:or|hoặc|또는|或|または)\s*(?P<last>\d{1,2})\b",
    re.IGNORECASE,
)
_ONE_IF = re.compile(
    r"\b(?P<first>[01])\s+(?:if|when|for)\b[^\n]{1,160}?\b(?P<last>[01])"
    r"\s+(?:if|when|for|otherwise)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ScaleFound:
    """A scale as a judge file writes it, where it was read, and what else was seen."""

    scale: dict[str, Any]
    at: int
    rivals: tuple[str, ...] = ()


def find_scale(text: str, *, floats: bool = False) -> ScaleFound | None:
    """The scale of the text; None when nothing in it speaks of one.

    Labelled levels count most, since they name every value; among ranges the commonest.
    `floats` says that the reply's sample shows numbers with a fraction.
    """
    ranges = _ranges(text)
    levels = find_levels(text)
    if levels and not _contradicted(levels.values, ranges):
        return ScaleFound(levels.scale, levels.at)
    if ranges:
        return _commonest(text, ranges, floats=floats)
    return _listed(text) or _yes_no(text) or _choice(text)


def _contradicted(values: tuple[int, ...], ranges: list[re.Match[str]]) -> bool:
    """Whether the ranges go beyond the levels, which are then only some of the values."""
    bounds = {(float(each["low"]), float(each["high"])) for each in ranges}
    return bool(bounds) and (float(values[0]), float(values[-1])) not in bounds


def _ranges(text: str) -> list[re.Match[str]]:
    return [found for found in _RANGE.finditer(text) if _speaks_of_scores(text, found)]


def _speaks_of_scores(text: str, found: re.Match[str]) -> bool:
    low, high = float(found["low"]), float(found["high"])
    if not low < high or _COUNTED.match(text[found.end() : found.end() + 40]):
        return False
    before = _words_before(text, found.start())
    if found["sign"].casefold() == "and" and not re.search(r"between\s*$", before, re.IGNORECASE):
        return False
    after = text[found.end() : found.end() + 12].partition("\n")[0]
    bracketed = before.endswith("(") and after.startswith((")", ",", " "))
    usual = low in {0, 1} or low == -high
    cue = _CUE.search(before) or _CUE_BEHIND.match(after)
    cue = cue or (_FROM.search(before) and _CUE.search(text))
    strong = re.search(
        r"scale\s*(?:of|from|:)?\s*$|thang điểm\s*(?:từ)?\s*$", before, re.IGNORECASE
    )
    return bool(strong or (usual and (cue or bracketed)))


def _words_before(text: str, at: int) -> str:
    """The words before an offset in its line, and in the line above where that one was wrapped."""
    start = text.rfind("\n", 0, at) + 1
    end_of_above = text[max(0, start - 2) : max(0, start - 1)]
    if at - start < _WRAPPED and end_of_above not in {"", *"\n.:!?。：！？"}:
        start = text.rfind("\n", 0, start - 1) + 1
    return text[max(start, at - 60) : at]


def _commonest(text: str, ranges: list[re.Match[str]], *, floats: bool) -> ScaleFound:
    votes = Counter((float(each["low"]), float(each["high"])) for each in ranges)
    best = votes.most_common(1)[0][0]
    first = next(each for each in ranges if (float(each["low"]), float(each["high"])) == best)
    rivals = tuple(f"{low:g} to {high:g}" for low, high in votes if (low, high) != best)
    near = text[text.rfind("\n", 0, first.start()) + 1 : first.end() + 40]
    floats = floats or bool(_FLOAT.search(near))
    same = [m for m in ranges if (float(m["low"]), float(m["high"])) == best]
    floats = floats or any("." in each["low"] + each["high"] for each in same)
    low, high = first["low"], first["high"]
    return ScaleFound(scale_of_range(low, high, floats=floats), first.start(), rivals)


def _listed(text: str) -> ScaleFound | None:
    """Values one by one, where the words before them speak of a score."""
    for pattern in (_LISTED, _ONE_IF):
        for found in pattern.finditer(text):
            low, high = sorted((int(found["first"]), int(found["last"])))
            before = text[max(0, found.start() - 60) : found.start()].rpartition("\n")[2]
            if low in {0, 1} and low < high and _SCORED.search(before):
                return ScaleFound({"type": "integer", "min": low, "max": high}, found.start())
    return None


def _choice(text: str) -> ScaleFound | None:
    found = find_choices(text)
    return ScaleFound(*found) if found else None


def _yes_no(text: str) -> ScaleFound | None:
    found = _YES_NO.search(text)
    return ScaleFound({"type": "binary"}, found.start()) if found else None
