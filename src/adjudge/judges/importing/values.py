"""Scores that a prompt names by some of their values: one by one, each with its condition, the
highest alone; and what it says beside a range: a value below it, fractions, a total."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from adjudge.core.reason import Reason

from .numerals import (
    BEHIND,
    COUNTED,
    DECIMAL,
    MARK,
    MOST,
    NUMERAL,
    SCORE,
    SCORED,
    UNIT,
    USUAL_HIGHEST,
    WHOLE,
    RangeFound,
    goes_on,
    is_between,
    is_of_confidence,
    number_of,
    runs,
    words_after,
    words_before,
)
from .vocabulary import words

_IN_LETTERS = dict(zip("三四五六七八九十百", (3, 4, 5, 6, 7, 8, 9, 10, 100), strict=True))
_TOTAL = re.compile(words("total"), re.IGNORECASE)
_DEDUCTED = re.compile(words("deduct"), re.IGNORECASE)
_IF = re.compile(words("if", "otherwise"), re.IGNORECASE)
_GIVEN = re.compile(words("give"), re.IGNORECASE)
_IF_BEHIND = re.compile(
    rf"[`\"'”*\]]{{0,3}}{UNIT}(?:\([^()\n\d]{{1,12}}\))?(?:aus|zurück|an)?[,，:：(（]?\s?"
    rf"(?:{words('if', 'otherwise')})",
    re.IGNORECASE,
)
_IF_BEFORE = re.compile(rf"{words('if', 'otherwise')}[^\d\n]{{0,100}}$", re.IGNORECASE)
_FULL_BEFORE = re.compile(rf"(?P<word>{words('full')})\s?[:：]?\s?{MARK}$", re.IGNORECASE)
_FULL_BEHIND = re.compile(rf"\s?{words('full behind')}", re.IGNORECASE)
# X/10, ?/5, [score]/10, ___/5
_SLASH_BEFORE = re.compile(
    rf"(?:[\]>)}}）】_?…〇○◯]|\.\.\.|\b[xXnN]{{1,2}}|{words('rating')})\s?[/／]\s?$", re.IGNORECASE
)
_BARE_SLASH = re.compile(r"(?:^|[:：(（\"])\s?/\s?$")
_STEPS_BEHIND = re.compile(rf"\s?-?{words('steps behind')}", re.IGNORECASE)
_STEPS_BEFORE = re.compile(
    rf"{words('scale')}\s?(?:(?:{words('from')}|à|en|em|gồm|with|mit|con|avec|com)\s)?{MARK}$",
    re.IGNORECASE,
)
_LEVELS = re.compile(
    r"levels|grades|steps|tiers|mức|级|档|bậc|niveaux|niveles|níveis", re.IGNORECASE
)
_ONE = re.compile(rf"(?<![\d.,/])1{UNIT}[(（=:：]", re.IGNORECASE)
_ADDED = re.compile(
    r"additive|add(?:ing)? (?:1|one|a) (?:more )?point|1점을? 추가|cộng (?:thêm )?1|加1分|1点加点",
    re.IGNORECASE,
)
_LISTED = re.compile(
    rf"(?<![\w.,/|-]){MARK}(?P<all>\d{{1,3}}(?:\.\d{{1,2}})?{MARK}"
    rf"(?:\s?(?:[,、，/|;]|[,、，]?\s?{words('or', 'and')})\s?{MARK}\d{{1,3}}(?:\.\d{{1"
    rf",2}})?{MARK}){{1,11}})"
    r"(?!\d|\.\d|\s?[,、，/|]\s?\d|\w)",
    re.IGNORECASE,
)
_POINTS = re.compile(rf"\s{{0,2}}{words('point')}", re.IGNORECASE)
_ONE_OF = re.compile(rf"(?:một trong|{words('one of')})\W{{0,3}}$", re.IGNORECASE)
_CONDITIONS_APART = 240  # characters between two values with conditions, at most


def listed(text: str, *, labelled: bool) -> Iterator[RangeFound]:
    """Values one by one, where the words around them speak of a score: "1, 2, 3 or 4"."""
    for match in islice(_LISTED.finditer(text), MOST):
        values = tuple(
            sorted({float(value) for value in re.findall(r"\d+(?:\.\d+)?", match["all"])})
        )
        before, after = words_before(text, match.start()), words_after(text, match.end(), 16)
        boxed = before.endswith(("[", "(")) and after.startswith(("]", ")")) and "," in match["all"]
        if goes_on(text, match.end()):
            continue
        if len(values) < 2 or values[0] not in {0, 1} or (boxed and len(values) == 2):
            continue
        ends = len(values) == 2 and is_between(before, after)
        if ends or is_of_confidence(before) or COUNTED.match(after):
            continue
        steps = values == tuple(float(step) for step in range(int(values[0]), int(values[-1]) + 1))
        whole = all(value.is_integer() for value in values)
        asked = labelled or SCORED.search(before) or BEHIND.match(after)
        points = values[0] == 0 and _POINTS.match(after)
        if asked and (steps or (not whole and values[-1] == 1) or len(values) > 2 or points):
            weight = 4 if (steps and len(values) > 2) or values == (0, 1) else 2
            if len(values) > 2 and _ONE_OF.search(before):
                weight = 5
            yield RangeFound(values[0], values[-1], match.start(), weight, "", values, whole)


def conditional(text: str, *, labelled: bool) -> Iterator[RangeFound]:
    """Values with the condition of each, near one another: 1 if …, 0.5 if …, 0 otherwise."""
    numerals = (one for one in islice(NUMERAL.finditer(text), MOST) if _has_condition(text, one))
    for run in runs(
        numerals, lambda run, match: match.start() - run[-1].end() <= _CONDITIONS_APART
    ):
        values = tuple(
            sorted({number_of(one["value"]) for one in run if one["value"] not in _IN_LETTERS})
        )
        around = text[max(0, run[0].start() - 80) : run[-1].end() + 24]
        if len(values) > 1 and values[0] in {0, 1, -1} and (labelled or SCORED.search(around)):
            whole = values == tuple(
                float(step) for step in range(int(values[0]), int(values[-1]) + 1)
            )
            if values != (1, 2):
                yield RangeFound(values[0], values[-1], run[0].start(), 2, "", values, whole)


def _has_condition(text: str, match: re.Match[str]) -> bool:
    if _IF_BEHIND.match(text, match.end(), match.end() + 24):
        return True
    before = words_before(text, match.start(), 110)
    condition = _IF_BEFORE.search(before)
    if condition is None:
        return False
    behind = words_after(text, match.end(), 12).lstrip("점分点")
    if len(condition[0]) < 10 or _GIVEN.match(behind):
        return True
    # "…, give a 2", and after such a one "if it fails, 0."
    ends = re.match(r"\W*(?:$|[.。;；])", behind) is not None
    return bool(SCORED.search(condition[0])) or (
        ends and condition[0].rstrip()[-1:] in {*",，、:："}
    )


def highest(text: str) -> Iterator[RangeFound]:
    """“out of 10”, 10점 만점, X/5, "5-point scale": the highest score alone."""
    added = _ADDED.search(text) is not None
    low = 1 if not added and _ONE.search(text) else 0
    whole = True if WHOLE.search(text) else None
    for match in islice(NUMERAL.finditer(text), MOST):
        value = _IN_LETTERS.get(match["value"]) or number_of(match["value"])
        start, end = match.start(), match.end()
        before = text[max(0, start - 40) : start]
        if value not in USUAL_HIGHEST and not (value == 1 and _SLASH_BEFORE.search(before)):
            continue
        before = before[before.rfind("\n") + 1 :]
        after = words_after(text, end, 40)
        high = int(value)
        steps = 2 < high <= 10 and _is_steps(before, after)
        if steps and not added:
            doubt = Reason("import.doubt.levels", count=high)
            yield RangeFound(1, high, start, 1, doubt, whole=True)
        elif steps or _is_highest(text, before, after, start):
            assumed = "" if added else Reason("import.doubt.lowest", low=low)
            yield RangeFound(low, high, start, 1, assumed, whole=whole)


def _is_steps(before: str, after: str) -> bool:
    behind = _STEPS_BEHIND.match(after)
    if not behind:
        return False
    plain = re.fullmatch(
        r"\W*(?:points?|points|niveaux|degrés|puntos|niveles|grados|pontos|níveis"
        r"|graus|levels|grades|steps|tiers|mức.*|级|档|bậc)",
        behind[0],
        re.IGNORECASE,
    )
    return not plain or bool(_STEPS_BEFORE.search(before) or _LEVELS.search(behind[0]))


def _is_highest(text: str, before: str, after: str, at: int) -> bool:
    if _FULL_BEHIND.match(after) or _SLASH_BEFORE.search(before) or _BARE_SLASH.search(before):
        return True
    full = _FULL_BEFORE.search(before)
    if not full or COUNTED.match(after):
        return False
    unit = re.match(rf"{UNIT}\b", after, re.IGNORECASE)
    points = bool(unit and unit[0].strip())
    alone = re.fullmatch(
        r"von|em|sobre|sur|up to|bis zu|jusqu'à|hasta|até|최대|最大|最高.*",
        full["word"],
        re.IGNORECASE,
    )
    cue = bool(SCORE.search(words_before(text, at - len(full[0]), 140)))
    return points if alone and not cue else cue or points or not alone


def with_lowest(text: str, low: float) -> float:
    """The 0 or -1 that the text gives beside a range from `low`: “otherwise the score is 0”."""
    if low not in {0, 1}:
        return low
    for match in islice(
        re.finditer(
            rf"(?<![\d.,A-Za-z_/~–-])[`\"*]{{0,2}}(?P<value>{'0' if low else '[-−]1'})("
            r"?!\d|[.,]\d|\s?[-–~/]\s?\d|:\d)",
            text,
        ),
        200,
    ):
        before, after = words_before(text, match.start(), 60), words_after(text, match.end(), 30)
        near = before[-24:]
        condition = _IF.search(after[:26]) or _IF.search(before)
        asked = SCORE.search(near) or _GIVEN.search(near) or _GIVEN.search(after[:14])
        if (
            condition
            and asked
            and not _DEDUCTED.search(before[-20:] + after[:10])
            and not is_of_confidence(before)
            and not COUNTED.match(after)
        ):
            return low - 1
    return low


_SHOWN = re.compile(rf"(?:{words('rating', 'example')}|\[\[)[^\d\n]{{0,16}}$", re.IGNORECASE)


def shows_fractions(text: str, low: float, high: float) -> bool:
    """Whether the prompt shows a fraction within the range as an example, or speaks of them."""
    for match in islice(
        re.finditer(r"(?<![\d.,v])(?P<value>\d{1,2}\.[1-9]\d?)(?!\d|\.\d|%)", text), 200
    ):
        value = float(match["value"])
        before, after = words_before(text, match.start(), 40), words_after(text, match.end(), 12)
        fits = low <= value <= high and not is_of_confidence(before) and not COUNTED.match(after)
        if fits and _SHOWN.search(before):
            return True
    for match in DECIMAL.finditer(text):
        before = text[max(0, match.start() - 24) : match.start()]
        if SCORE.search(
            words_before(text, match.start(), 60) + words_after(text, match.end(), 40)
        ) and not re.search(
            rf"{words('never')}[^.\n]{{0,20}}$|without|sans|sin|sem|ohne", before, re.IGNORECASE
        ):
            return True
    return False


def is_total(text: str, one: RangeFound) -> bool:
    return _TOTAL.search(words_before(text, one.at, 40)) is not None
