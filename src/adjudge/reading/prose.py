"""A reply as running text: what it quotes set aside, number words as digits, by sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .place import Place
from .quoted import set_aside

# Verdicts stand at the beginning or at the end; what lies between in a very long reply is not
# searched, which also bounds the time that any text can take.
_HEAD, _TAIL = 2000, 6000
# A sentence is looked at no further than this on either side of what it may state.
_REACH = 300

NUMERALS = {
    word: str(number)
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
}
# Only where a grade is counted: "one" is too common a word otherwise.
_NUMERAL = re.compile(
    rf"\b(?:{'|'.join(NUMERALS)})\b(?=\s{{0,3}}(?:stars?|out of)\b|\.?\s{{0,9}}$)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"\n|[.!?](?=\s|$)|[。！？]")


@dataclass(frozen=True, slots=True)
class Prose:
    """`text` is as long as the window of the reply it stands for; `left_out` characters of the
    reply lie between its head and its tail. `words` tells where number words end."""

    text: str
    left_out: int
    words: dict[int, int]

    def placed(self, place: Place | None) -> Place | None:
        """The place with its span in the reply."""
        if place is None or place.span is None:
            return place
        begin, end = place.span
        end, start, stop = max(end, self.words.get(begin, end)), place.start, place.stop
        if self.left_out and begin >= _HEAD:
            begin, end = begin + self.left_out, end + self.left_out
            start = None if start is None else start + self.left_out
            stop = None if stop is None else stop + self.left_out
        return place._replace(span=(begin, end), start=start, stop=stop)


def prose_of(text: str) -> Prose:
    left_out = max(0, len(text) - _HEAD - _TAIL)
    if left_out:
        text = f"{text[:_HEAD]}\n{text[-_TAIL + 1 :]}"
    text = set_aside(text)
    words = {found.start(): found.end() for found in _NUMERAL.finditer(text)}
    text = _NUMERAL.sub(lambda found: NUMERALS[found[0].lower()].ljust(len(found[0])), text)
    return Prose(text, left_out, words)


def sentence_around(text: str, begin: int, end: int) -> tuple[int, int]:
    """Where the sentence begins and ends that holds these characters."""
    low, start = max(0, begin - _REACH), 0
    for found in _SENTENCE_END.finditer(text, low, begin):
        start = found.end()
    behind = _SENTENCE_END.search(text, end, end + _REACH)
    return max(low, start), behind.end() if behind else min(len(text), end + _REACH)
