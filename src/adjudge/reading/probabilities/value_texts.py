"""Which value a text means that a model has begun to write in a score's place.

The text may stop anywhere: a token may hold half a number, a word's beginning, or the value with
what ends it. It means a value when no other value of the scale could still come of it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from adjudge.core.scale import (
    NO_WORDS,
    YES_WORDS,
    Binary,
    Category,
    Integer,
    NotAValue,
    Number,
    Ordinal,
    Scale,
    Value,
    folded,
)

from ..values import FAILED, PASSED, scale_bounds
from ..vocabulary import NUMBER_WORDS, option_names, third_for_tie
from .tokens import ends_in_a_character


class NoValue(Enum):
    """Why a text means no value: not yet, as several may come of it, or never."""

    YET = "yet"
    EVER = "ever"


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How numbers are written in this place.

    `decimals` are the digits behind the `point` of the number that the reply holds. `run` is the
    longest run of digits that was seen in a single token there: a tokenizer that has "10" for a
    token does not write it as "1" and "0".
    """

    decimals: int = 0
    point: str = "."
    run: int = 1


_NUMERAL = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d*)(?:(?P<point>[.,])(?P<part>\d*))?(?P<rest>.*)", re.DOTALL
)
# What may stand behind a number and ends it: a unit, the end of the scale, a mark, a space.
_ENDS = re.compile(r"[\s,;:!?()\[\]{}\"'“”’*_`|<>/.。，점点分★⭐]")
_PERCENT = 100


class ValueTexts:
    """The texts of one scale's values, as a reply may write them in one place."""

    def __init__(self, scale: Scale, written: NumberStyle) -> None:
        self._scale, self._written = scale, written
        self._words = words_of(scale)
        self._any_number = isinstance(scale, Number)
        # A name may be known by its beginning. A number's is too short: "n" does not mean nine.
        self._names = {word: v for word, v in self._words.items() if word not in NUMBER_WORDS}

    def meant(self, text: str) -> Value | NoValue:
        """The value that the text means, all of it standing in the value's place."""
        if not text or ends_in_a_character(text):
            return NoValue.YET
        text = unicodedata.normalize("NFKC", text).casefold()
        if isinstance(self._scale, Binary | Category) or not re.match(r"[-+]?[\d.]|[-+]$", text):
            return self._word(text)
        return self._number(text)

    def _word(self, text: str) -> Value | NoValue:
        """By the names that begin like this, and the longest wording that stands there whole."""
        fits = {value for name, value in self._names.items() if name.startswith(text)}
        ended = [w for w in self._words if text.startswith(w) and not text[len(w) :][:1].isalnum()]
        if ended:
            fits.add(self._words[max(ended, key=len)])
        if len(fits) == 1:
            return fits.pop()
        return NoValue.YET if fits else NoValue.EVER

    def _number(self, text: str) -> Value | NoValue:
        match = _NUMERAL.fullmatch(text)
        assert match is not None  # noqa: S101 - every text matches
        sign, whole, part, rest = match["sign"], match["whole"], match["part"], match["rest"]
        point = match["point"] or ""
        if point and not part and (rest or self._written.point != point or not self._any_number):
            point, rest = "", point + rest  # it ends the number, as in "4," and "4. "
        if not whole and not part:
            return NoValue.YET if not rest else NoValue.EVER
        if rest:
            return self._ended(f"{sign}{whole}.{part or 0}", rest)
        if point:
            return self._with_decimals(sign, whole or "0", part or "")
        return self._begun(sign, whole)

    def _ended(self, numeral: str, rest: str) -> Value | NoValue:
        if rest.startswith("%"):
            of_hundred = isinstance(self._scale, Integer | Number) and self._scale.max == _PERCENT
            return self._read(numeral) if of_hundred else NoValue.EVER
        if _ENDS.match(rest):
            return self._read(numeral)
        # "4th", and "4-", which may be a range
        return NoValue.EVER if rest[0].isalnum() else NoValue.YET

    def _with_decimals(self, sign: str, whole: str, part: str) -> Value | NoValue:
        wanted = self._written.decimals if self._any_number else 1
        if part and (len(part) >= wanted or self._written.run >= wanted):
            return self._read(f"{sign}{whole}.{part}")
        return self._highest(f"{sign}{whole}")

    def _begun(self, sign: str, whole: str) -> Value | NoValue:
        """Digits that more digits may follow."""
        fits = set(self._whole_numbers(sign, whole))
        if len(fits) != 1:
            return NoValue.YET if fits else NoValue.EVER
        only = str(fits.pop())
        if self._any_number and self._written.decimals:
            return self._highest(only)
        return self._read(only)

    def _highest(self, numeral: str) -> Value | NoValue:
        """Decimals are still to come: after the end of the scale they can only be zeros."""
        value = self._read(numeral)
        return (
            value if isinstance(self._scale, Number) and value == self._scale.max else NoValue.YET
        )

    def _whole_numbers(self, sign: str, digits: str) -> Iterator[int]:
        """Whole numbers of the scale that begin with the digits: all, or the ends of each range.

        Left out are longer ones that this tokenizer would have written as one token.
        """
        digits = digits.lstrip("0") or "0"
        low, high = map(math.trunc, scale_bounds(self._scale) or (0, 0))  # others have no numerals
        for more in range(len(str(max(abs(low), abs(high)))) - len(digits) + 1):
            if more and (digits == "0" or len(digits) + more <= self._written.run):
                continue
            first = int(digits) * 10**more
            ends = (first, first + 10**more - 1)
            least, most = ends if sign != "-" else (-ends[1], -ends[0])
            if isinstance(self._scale, Ordinal):
                yield from (level for level in self._scale.levels if least <= level <= most)
            elif max(least, low) <= min(most, high):
                yield from (max(least, low), min(most, high))

    def _read(self, numeral: str) -> Value | NoValue:
        try:
            return self._scale.read(float(numeral))
        except NotAValue:
            return NoValue.EVER


def words_of(scale: Scale) -> Mapping[str, Value]:
    """Folded wording → value, as far as a scale's values have names."""
    if isinstance(scale, Category):
        third = third_for_tie(scale, "C")
        return {**({"c": third} if third else {}), **option_names(scale.options)}
    if isinstance(scale, Binary):
        return _TRUTHS
    names: dict[str, Value] = {}
    for word, numeral in NUMBER_WORDS.items():
        try:
            names[word] = scale.read(int(numeral))
        except NotAValue:
            continue
    if scale.values() == (0, 1):
        names |= {word: int(truth) for word, truth in _TRUTHS.items()}
    if isinstance(scale, Ordinal):
        names |= {folded(level.label): value for value, level in scale.levels.items()}
    return names


_TRUTHS = dict.fromkeys(YES_WORDS | PASSED, True) | dict.fromkeys(NO_WORDS | FAILED, False)
