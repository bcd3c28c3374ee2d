"""Scales of numbers: every place in a prompt that says which numbers a score may be.

A place begins at a numeral; the words around it, in any language of the vocabulary, tell whether
it speaks of scores. Each reading says how plain it is (`weight`), and `doubt` what it assumes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from .numerals import (
    BEHIND,
    COUNTED,
    MARK,
    MOST,
    NUMBER,
    NUMERAL,
    SCORE,
    SCORED,
    UNIT,
    USUAL_HIGHEST,
    RangeFound,
    is_between,
    is_of_confidence,
    line_start,
    number_of,
    whole_near,
    words_after,
    words_before,
)
from .values import conditional, highest, listed
from .vocabulary import words

_ASIDE = r"(?:[(（][^()（）\n]{1,60}[)）]\s{0,3})?"
_RANGE = re.compile(
    rf"(?<![\d.,/A-Za-z_-])(?P<low>{NUMBER})%?{MARK}{UNIT}{_ASIDE}"
    rf"(?P<sign>[-–—−~〜～∼,，]|\.\.\.?|…|{words('to', 'and')})"
    rf"\s{{0,3}}{MARK}(?P<high>{NUMBER})(?!\d|[.,]\d|/\d)",
    re.IGNORECASE,
)
_ASIDE_BEHIND = re.compile(rf"{MARK}{UNIT}[(（][^()（）\n]{{1,60}}[)）]")
_AND = re.compile(words("and"), re.IGNORECASE)
_FROM = re.compile(rf"{words('from')}\s*{MARK}$", re.IGNORECASE)
_SCALE = re.compile(
    rf"{words('scale')}[^\w\n]{{0,3}}(?:{words('from', 'between', 'is')})?[^\w\n]{{0,3}}$",
    re.IGNORECASE,
)
_OPENED = re.compile(
    rf"[(（<\[【]\s?(?:(?:{words('whole', 'decimal', 'number', 'rating')})\s?[:：,]?\s?)?{MARK}$",
    re.IGNORECASE,
)
_CLOSED = re.compile(rf"{MARK}{UNIT}[)）>\],，\s]|$", re.IGNORECASE)
_NUMERIC = re.compile(words("whole", "decimal", "number"), re.IGNORECASE)
_NUMBER_BEHIND = re.compile(rf"\s?[の的의]\s?{words('number', 'decimal', 'whole')}")  # 0から1の数値
_WORST_BEFORE = re.compile(rf"{words('worst')}[^\d\n]{{0,20}}$", re.IGNORECASE)
_BEST_BEFORE = re.compile(rf"{words('best')}[^\d\n]{{0,20}}$", re.IGNORECASE)
_BEST = re.compile(words("best"), re.IGNORECASE)
_WORST = re.compile(words("worst"), re.IGNORECASE)
# Two numerals with words between them: "1 is useless and 5 is perfect", "0 ≤ score ≤ 10".
_PAIR = re.compile(
    r"(?<![\d.,A-Za-z_/-])(?P<low>[-−]?\d{1,2}(?:\.\d)?)(?P<between>[^\d\n]{2,90}?\n?["
    r"^\d\n]{0,40}?)"
    r"(?=(?P<high>\d{1,3}(?:\.\d)?)(?!\d|[.,]\d|[/%]))"
)
_SAYS = re.compile(rf"{MARK}{UNIT}\s?(?:[=:：(（]|{words('is')})", re.IGNORECASE)
_AT_MOST = re.compile(r"\s?(?:≤|<=|<)\s?[\w ]{1,20}?\s?(?:≤|<=|<)\s?")
# "9-10: excellent", "7~8점: …", "10: perfect": bands that together make a scale.
_BAND = re.compile(
    rf"^[ \t]*(?:[-*•|#+][ \t#]*)?[*_`\"【\[(（]{{0,3}}(?:{words('rating', 'level')}\s{{0,2}})?"
    rf"(?P<low>\d{{1,3}}(?:\.\d+)?)(?:{UNIT}(?:[-–—~〜～]"
    rf"|{words('to')})\s?(?P<high>\d{{1,3}}(?:\.\d+)?))?"
    rf"\s?%?{UNIT}[*_`\"】\])）]{{0,3}}\s{{0,2}}(?:[:：=|(（]|[–—-]\s|→|->)",
    re.IGNORECASE | re.MULTILINE,
)


def find_ranges(text: str, *, labelled: bool = False) -> list[RangeFound]:
    """All readings, in the order of their places; `labelled` says that the text stands behind a
    label or key of the reply."""
    if not NUMERAL.search(text):
        return []
    ranges = list(_between_two(text, labelled=labelled))
    ranges += _pairs(text)
    bands = find_bands(text)
    if bands:
        lines = {line_start(text, at) for _, _, at in bands}
        ranges = [one for one in ranges if line_start(text, one.at) not in lines]
        low, high = min(bands)[0], max(high for _, high, _ in bands)
        ranges.append(RangeFound(low, high, bands[0][2], 2))
    ranges += listed(text, labelled=labelled)
    ranges += conditional(text, labelled=labelled)
    ranges += highest(text)
    return sorted(ranges, key=lambda one: one.at)


def _between_two(text: str, *, labelled: bool) -> Iterator[RangeFound]:
    """ "from 1 to 5", "1점에서 5점", "between 0 and 10", "[0, 1]"."""
    scored = SCORED.search(text) is not None
    for match in islice(_RANGE.finditer(text), MOST):
        low, high = number_of(match["low"]), number_of(match["high"])
        before = words_before(text, match.start())
        after = words_after(text, _behind_aside(text, match))
        if low == high or COUNTED.match(after) or is_of_confidence(before):
            continue
        weight = _plainness(match, before, after, labelled=labelled, scored=scored)
        usual = low in {0, 1} or low < 0 <= high
        if low > high:
            low, high, weight = high, low, weight - 2
            usual = low in {0, 1} and weight > 0
        if weight >= (3 if usual else 5):
            whole = _is_whole(text, match)
            yield RangeFound(low, high, match.start(), weight, whole=whole)


def _behind_aside(text: str, match: re.Match[str]) -> int:
    """Where the sentence goes on behind "0 (useless) to 10 (perfect)", whose ends have names."""
    aside = _ASIDE_BEHIND.match(text, match.end()) if re.search("[(（]", match[0]) else None
    return aside.end() if aside else match.end()


def _plainness(  # noqa: PLR0911 - a return per form
    match: re.Match[str], before: str, after: str, *, labelled: bool, scored: bool
) -> int:
    """How plainly two numbers are the ends of a scale: 0 where nothing says so. `scored`: somewhere
    the text speaks of scores."""
    opened, closed = _OPENED.search(before), _CLOSED.match(after.removeprefix("%"))
    sign = match["sign"].casefold()
    if sign in {",", "，"}:
        boxed = before.endswith(("[", "(", "【", "（")) and after.startswith(("]", ")", "】", "）"))
        return 3 if boxed and (labelled or SCORE.search(before) or _NUMERIC.search(before)) else 0
    if after.startswith("%") and match["high"] != "100":
        return 0
    between = is_between(before, after)
    if _AND.fullmatch(sign) and not between:
        return 0
    if _SCALE.search(before):
        return 5
    clause = re.split(r"[。.,，、;；)）]", after)[0][:16]
    asked = _NUMERIC.search(before[-24:]) and SCORED.search(before)  # "give an integer 1..5"
    cue = bool(SCORE.search(before) or BEHIND.match(after) or SCORE.search(clause) or asked)
    if between and cue:
        return 5
    if scored and (between or _FROM.search(before) or _NUMBER_BEHIND.match(after)):
        return 4
    if cue or labelled:
        return 4
    return 3 if opened and closed else 0


def _is_whole(text: str, match: re.Match[str]) -> bool | None:
    """Whether the words near a range, or its digits, speak of whole numbers or of fractions."""
    if re.search(r"[.,]\d", match["low"] + match["high"]):
        return False
    return whole_near(text, match.start(), match.end())


def _pairs(text: str) -> Iterator[RangeFound]:
    """Both ends with words to them: "1 is the worst and 5 the best", "min 0, max 10"."""
    for match in islice(_PAIR.finditer(text), MOST):
        low, high = number_of(match["low"]), number_of(match["high"])
        between = match["between"]
        start = match.start()
        if low > high and _BEST_BEFORE.search(text[max(0, start - 24) : start]):
            if high in {0, 1} and _WORST_BEFORE.search(between):
                yield RangeFound(high, low, start, 4)
            continue
        if low not in {0, 1, -1} or not low < high or (high not in USUAL_HIGHEST and high != 1):
            continue
        behind = words_after(text, match.end() + len(match["high"]), 40)
        before = text[max(0, start - 24) : start]
        if is_of_confidence(words_before(text, start)):
            continue
        if _AT_MOST.fullmatch(between) or (
            _WORST_BEFORE.search(before) and _BEST_BEFORE.search(between)
        ):
            yield RangeFound(low, high, start, 4, whole=whole_near(text, start, match.end()))
        elif "\n" not in between and high > 2:
            ends = bool(_WORST.search(between) and _BEST.search(behind))
            described = _SAYS.match(between) and (_SAYS.match(behind) or _BEST.search(behind))
            if ends or (described and SCORE.search(words_before(text, start, 120))):
                yield RangeFound(low, high, start, 3, whole=whole_near(text, start, match.end()))


def find_bands(text: str) -> list[tuple[float, float, int]]:
    """Lines with bands that follow one another without a gap; empty where there are none."""
    bands = [
        (float(match["low"]), float(match["high"] or match["low"]), match.start())
        for match in islice(_BAND.finditer(text), MOST)
    ]
    run: list[tuple[float, float, int]] = []
    best: list[tuple[float, float, int]] = []
    for band in bands:
        if run and not _touch(run[-1], band):
            run = []
        run.append(band)
        if len(run) > 1 and len(run) > len(best) and any(low < high for low, high, _ in run):
            best = list(run)
    return best


def _touch(one: tuple[float, float, int], other: tuple[float, float, int]) -> bool:
    (low, high, _), (below, above, _) = sorted((one, other))
    return low <= high and below <= above and 0 <= below - high <= 1
