"""What a reply repeats of the texts that it is about.

A judged text may hold grades of its own, and an honest judge quotes them: in quotation marks, in
code, translated into a table, or bare. The texts are at hand, so what repeats them is known
whatever marks stand around it, and is not the judge's own word.
"""

from __future__ import annotations

import re
import unicodedata
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


def folded(text: str) -> str:
    """Letters, digits and stars alone, without case, accents and the widths of East Asian signs."""
    if "\\" in text:
        text = _ESCAPED.sub("  ", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
    return _LEFT_OUT.sub("", _BETWEEN_DIGITS.sub(_GAP, text.casefold()))


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """The same, with the place in the text that each sign of it comes from."""
    signs: list[str] = []
    places: list[int] = []
    gap = False
    for at, sign in enumerate(_ESCAPED.sub("  ", text)):
        kept = folded(sign)
        gap = gap or not kept
        for each in kept:
            if gap and each.isdigit() and signs and signs[-1].isdigit():
                signs.append(_GAP)
                places.append(at)
            gap = False
            signs.append(each)
            places.append(at)
    return "".join(signs), places


class Judged:
    """The texts that a reply is about, ready to be compared with it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [folded(text) for text in texts if text]
        self._parted = [_parted(text) for text in self._texts]
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
        anchors = list(values.finditer(text))[-_MOST_VALUES:] if self._texts else []
        if not any(self._near(text, anchor.span()) for anchor in anchors):
            return text
        signs, places = _folded_with_places(text)
        begins = {place: at for at, place in reversed(list(enumerate(places)))}
        marked = list(text)
        spans = [span for anchor in anchors if (span := _in_signs(anchor.span(), begins))]
        for begin, end in self._runs(signs, spans):
            last = max(span[1] for span in spans if begin <= span[0] and span[1] <= end)
            for at in range(places[begin], places[last - 1] + 1):
                if marked[at] != "\n":
                    marked[at] = " "
        return "".join(marked)

    def _near(self, text: str, span: Span) -> bool:
        """Quickly, whether the value could stand in a long run."""
        begin, end = span
        before = folded(text[max(0, begin - 60) : begin])[-_BESIDE:]
        behind = folded(text[end : end + 60])[:_BESIDE]
        value = folded(text[begin:end])
        probes = [before + value] * (len(before) == _BESIDE)
        probes += [value + behind] * (len(behind) == _BESIDE)
        # A digit at its edge may be parted from others by a gap, which the probe cannot know.
        return any(_parted(probe) in text for probe in probes for text in self._parted)

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


def _parted(text: str) -> str:
    return text.replace(_GAP, "")


def _in_signs(span: Span, begins: dict[int, int]) -> Span | None:
    """Where the characters of the span stand among the signs."""
    inside = [begins[at] for at in range(*span) if at in begins]
    return (inside[0], inside[-1] + 1) if inside else None


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
