"""What a reply repeats of the texts that it is about.

A judged text may hold grades of its own, and an honest judge quotes them: in quotation marks, in
code, translated into a table, or bare. The texts are at hand, so what repeats them is known
whatever marks stand around it, and is not the judge's own word.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from adjudge.core.judge import Judge
from adjudge.core.scale import NO_WORDS, YES_WORDS, Binary, Category, Ordinal, Scale

from .options import names_among
from .place import Span
from .prose import NUMERALS

# Letters and digits that a run must have to be a repetition beyond doubt. What is shorter but holds
# a label and a value ("Score: 5") may be the judge's own as well; see `Judged.may_hold`.
_LONG = 16
# On one side of its value a long run has at least this many.
_BESIDE = (_LONG - 2) // 2
# Of a reply made of values the last ones are looked at, and of a text made of one phrase so many
# places where it stands, each so far.
_MOST_VALUES, _MOST_PLACES, _FAR = 2000, 50, 4000

_ESCAPED = re.compile(r"\\[nrt]")
_STARS = "★☆⭐🌟✩"
# Between two digits, so that "4. 5 errors" is not 45. A letter, or it would itself be left out.
_GAP = "ǀ"
_BETWEEN_DIGITS = re.compile(rf"(?<=\d)[^\w{_STARS}]+(?=\d)")
_LEFT_OUT = re.compile(rf"[^\w{_STARS}]+|_+")


# Letters that change when a text is put into capitals and back, or that are no base with a mark.
_ALIKE_SIGNS = str.maketrans("ıİđĐ", "iIdD")


def folded(text: str) -> str:
    """Letters, digits and stars alone, without case, accents and the widths of East Asian signs."""
    if "\\" in text:
        text = _ESCAPED.sub("  ", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).translate(_ALIKE_SIGNS)
    return _LEFT_OUT.sub("", _BETWEEN_DIGITS.sub(_GAP, text.casefold()))


_folded_sign = lru_cache(maxsize=4096)(folded)


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """The same, with the place in the text that each sign of it comes from."""
    text = _ESCAPED.sub("  ", text) if "\\" in text else text
    text = _BETWEEN_DIGITS.sub(lambda found: _GAP.ljust(len(found[0])), text)
    places = [at for at, sign in enumerate(text) if sign.isalnum() or sign in _STARS]
    if text.replace(_GAP, "").isascii():
        return "".join([text[at] for at in places]).lower(), places
    folds = [_folded_sign(text[at]) for at in places]
    return "".join(folds), [at for at, fold in zip(places, folds, strict=True) for _ in fold]


class Judged:
    """The texts that a reply is about, ready to be compared with it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [folded(text) for text in texts if text]
        self._spaceless = ["".join(text.split()).casefold() for text in texts if "[" in text]

    def may_hold(self, statement: str) -> bool:
        """Whether one of the texts holds all of this, by its letters and digits.

        Double brackets carry a value without any: they are compared to the letter.
        """
        if statement.lstrip().startswith("[["):
            bare = "".join(statement.split()).casefold()
            return any(bare in text for text in self._spaceless)
        bare = folded(statement)
        return len(bare) > 1 and any(_ends_whole(text, bare) for text in self._texts)

    def masked(self, text: str, values: re.Pattern[str]) -> str:
        """The text with every run blanked out that repeats one of the texts and holds a value.

        A run is blanked up to its last value: behind that the judge's own words may begin as the
        judged text goes on.
        """
        if not self._texts:
            return text
        anchors = [found.span() for found in values.finditer(text)][-_MOST_VALUES:]
        signs, places = _folded_with_places(text)
        spans = [(bisect_left(places, begin), bisect_left(places, end)) for begin, end in anchors]
        near = [span for span in spans if span[0] < span[1] and self._near(signs, span)]
        marked = list(text) if near else []
        for run_begin, end in self._runs(signs, near):
            begin = _without_a_tail(text, places, run_begin)
            if end - begin < _LONG:
                continue
            last = max((e for b, e in spans if begin <= b and e <= end), default=begin)
            for at in range(places[begin], places[last - 1] + 1):
                if marked[at] != "\n":
                    marked[at] = " "
        return "".join(marked) if near else text

    def _near(self, signs: str, span: Span) -> bool:
        """Quickly, whether the value could stand in a long run."""
        begin, end = span
        probes = [signs[begin - _BESIDE : end]] if begin >= _BESIDE else []
        probes += [signs[begin : end + _BESIDE]] if end + _BESIDE <= len(signs) else []
        return any(probe in text for probe in probes for text in self._texts)

    def _runs(self, signs: str, values: Sequence[Span]) -> list[Span]:
        """Around each value the longest run that stands in one of the texts, where it is long."""
        runs: list[Span] = []
        for value in values:
            if runs and value[1] <= runs[-1][1]:
                continue  # in the run that was found last
            found = [
                _widened(signs, value, text, at)
                for text in self._texts
                for at in _places_of(signs[slice(*value)], text)
            ]
            longest = max(found, key=lambda run: run[1] - run[0], default=(0, 0))
            if longest[1] - longest[0] >= _LONG:
                runs.append(longest)
        return runs


def _without_a_tail(text: str, places: list[int], begin: int) -> int:
    """Where a run begins if not with the few last signs of a line, which may be the judge's own:
    "Score: 2/5" above a quotation of "… 5 and so on"."""
    start = places[begin]
    line = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start)
    if end < 0 or not text[line:start].strip():
        return begin
    behind = bisect_left(places, end)
    return behind if behind - begin < _LONG // 2 else begin


def _places_of(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        if _whole_number(text, at, at + len(wanted)):
            yield at
        at = text.find(wanted, at + 1)


def _ends_whole(text: str, wanted: str) -> bool:
    """Whether the text holds this, and not as part of a longer number."""
    return any(True for _ in _places_of(wanted, text))


def _whole_number(text: str, begin: int, end: int) -> bool:
    before = begin and text[begin].isdigit() and text[begin - 1].isdigit()
    behind = end < len(text) and text[end - 1].isdigit() and text[end].isdigit()
    return not before and not behind


def _widened(signs: str, value: Span, text: str, at: int) -> Span:
    """The value in the signs, which is in the text too, with what is the same around it."""
    begin, end = value
    back = _alike(signs[max(0, begin - _FAR) : begin][::-1], text[max(0, at - _FAR) : at][::-1])
    on = _alike(signs[end : end + _FAR], text[at + end - begin : at + end - begin + _FAR])
    return begin - back, end + on


def _alike(one: str, other: str) -> int:
    """How many signs both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@lru_cache(maxsize=64)  # the repeats and the criteria of an item come one after the other
def judged_texts(texts: tuple[str, ...]) -> Judged:
    return Judged(texts)


NOTHING_JUDGED = Judged(())


def values_of(judge: Judge, criteria: tuple[str, ...]) -> re.Pattern[str]:
    """Whatever could be a value of these criteria."""
    words: frozenset[str] = frozenset()
    for name in criteria:
        words |= _words(judge.rubric.criteria[name].scale)
    return _pattern(words)


def _words(scale: Scale) -> frozenset[str]:
    if isinstance(scale, Category):
        return frozenset({*scale.options, *names_among(scale.options)})
    if isinstance(scale, Binary):
        return YES_WORDS | NO_WORDS
    labels = [level.label for level in scale.levels.values()] if isinstance(scale, Ordinal) else ()
    return frozenset({*NUMERALS, *labels})


@lru_cache(maxsize=64)
def _pattern(words: frozenset[str]) -> re.Pattern[str]:
    named = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(
        rf"\d+(?:[.,]\d+)?|[{_STARS}]+|[〇一二三四五六七八九十]"
        + (rf"|(?<![^\W\d_])(?:{named})(?![^\W\d_])" if named else ""),
        re.IGNORECASE,
    )
