"""Numbers in a prompt and the words around them: what each part of a scale is read from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .findings import Words
from .vocabulary import words

NUMBER = r"[-−+]?\d{1,4}(?:[.,]\d{1,2})?"
MARK = r"[`*\"'“”]{0,2}"
UNIT = rf"\s{{0,2}}(?:{words('point')})?\s{{0,2}}"
NUMERAL = re.compile(
    r"(?<![\d.,A-Za-z_])(?P<value>[-−]?\d{1,3}(?:\.\d{1,2})?"
    r"|[三四五六七八九十百])(?!\d|[.,]\d|[A-Za-z_])"
)
# “"1", "2"…”: some of the answers, and not all.
_OPEN_END = re.compile(r"[\"'”’`)\]]?\s?[,、]?\s?(?:\.\.\.|…|etc\b|usw\b|等[等\s。，)）])")
# More numerals than this are data, and no prompt.
MOST = 500
# A range so near the beginning of its line may belong to words in the line above.
WRAPPED = 20
USUAL_HIGHEST = frozenset(
    {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 100, 150, 200, 1000}
)
SCORE = re.compile(words("score", "scale"), re.IGNORECASE)
SCORED = re.compile(words("score", "answer", "rating", "give"), re.IGNORECASE)
BEHIND = re.compile(
    rf"\W{{0,4}}[でのに의로을]?\W?(?:{words('point', 'scale', 'score')}|까지)", re.IGNORECASE
)
COUNTED = re.compile(rf"{MARK}\s{{0,2}}(?:[^\W\d]+\s+){{0,2}}{words('counted')}", re.IGNORECASE)
CONFIDENT = re.compile(words("confidence"), re.IGNORECASE)
WHOLE = re.compile(words("whole"), re.IGNORECASE)
DECIMAL = re.compile(words("decimal"), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RangeFound:
    """The bounds, where they stand, how plain that is (5 says all, 1 next to nothing).

    `values` are those that are listed one by one; `whole` is None where nothing tells.
    """

    low: float
    high: float
    at: int
    weight: int
    doubt: Words = ""
    values: tuple[float, ...] = ()
    whole: bool | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        return self.low, self.high

    @property
    def scale(self) -> dict[str, Any]:
        """As a judge file writes it. Fractions are allowed unless the prompt speaks of whole
        numbers: a 7.5 is no mistake."""
        if list(self.values) == [0, 1]:
            return {"type": "binary"}
        if list(self.values) == [1, 2]:
            return {"type": "category", "options": ["1", "2"]}
        bounds = [int(bound) if float(bound).is_integer() else bound for bound in self.bounds]
        kind = "integer" if self.whole and all(isinstance(one, int) for one in bounds) else "number"
        return {"type": kind, "min": bounds[0], "max": bounds[1]}


def number_of(digits: str) -> float:
    return float(digits.replace(",", ".").replace("−", "-"))


def words_before(text: str, at: int, most: int = 60) -> str:
    """The words before an offset in its line, and in the line above where that one was wrapped."""
    start = text.rfind("\n", max(0, at - 400), at) + 1
    end_of_above = text[max(0, start - 2) : max(0, start - 1)]
    if start and at - start < WRAPPED and end_of_above not in {"", *"\n.:!?。：！？"}:
        start = text.rfind("\n", max(0, start - 400), start - 1) + 1
    return text[max(start, at - most) : at]


def words_after(text: str, at: int, most: int = 24) -> str:
    return text[at : at + most].partition("\n")[0]


def goes_on(text: str, end: int) -> bool:
    """Whether a list ends in "…" or the like: what it names are not all."""
    return _OPEN_END.match(text, end) is not None


def runs(
    matches: Iterable[re.Match[str] | None],
    goes_on: Callable[[list[re.Match[str]], re.Match[str]], object],
) -> Iterator[list[re.Match[str]]]:
    """Matches that belong together, in their order: `goes_on` tells of each whether it belongs to
    those before it."""
    run: list[re.Match[str]] = []
    for match in filter(None, matches):
        if run and not goes_on(run, match):
            yield run
            run = []
        run.append(match)
    if run:
        yield run


def line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


_BETWEEN = re.compile(rf"{words('between')}\s*(?:the\s+|les\s+)?{MARK}$", re.IGNORECASE)
_BETWEEN_BEHIND = re.compile(rf"{UNIT}(?:사이|之间|之間|の間|間)")


def is_between(before: str, after: str) -> bool:
    """Whether two numbers with these words around are ends: "between 0 and 1", "0과 1 사이"."""
    return bool(_BETWEEN.search(before) or _BETWEEN_BEHIND.match(after))


def is_of_confidence(before: str) -> bool:
    """Whether the nearest word before a number is about how sure the judge is."""
    ends = [match.end() for match in CONFIDENT.finditer(before)]
    if not ends:
        return False
    rest = before[ends[-1] :]
    score = SCORE.search(rest)
    return score is None or score.start() <= 2


def whole_near(text: str, start: int, end: int) -> bool | None:
    near = words_before(text, start, 90) + words_after(text, end, 60)
    if DECIMAL.search(near):
        return False
    return True if WHOLE.search(near) else None
