"""Clauses that hold a value and do not give it: what would have been, what was thought at first,
what another answer got, what is denied, deducted or the end of the scale.

They are blanked out before anything is read, whatever form the value has in them. A sentence is cut
where it turns ("but", "so", "because"), and that into pieces at commas, dashes and brackets. A
condition reaches to the turn; anything else reaches as far as its piece, or as its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from adjudge.core.scale import Binary, Category, Scale

from ..readings import Span
from .aside_words import MARKS, MAY_BE, NUMBER, UNIT, VALUE, Patterns, patterns_of

# Verdicts stand at the beginning or at the end of a reply.
_HEAD, _TAIL = 4000, 20_000
# What is longer is no sentence, and of a list of numbers the first are looked at.
_LONGEST, _MOST_NUMBERS = 2000, 20
_LINE = re.compile(r"[^\n]+")
_SENTENCE_END = re.compile(r"[.!?](?!\d)|[。！？]")
_PIECE_END = re.compile(r"[,，、;；()（）—→]|\s[-–]\s")
_LABEL = re.compile(r"[\s*_#>•-]{0,8}(?:[^\W\d]+[ _/]?){1,4}[*_]{0,3}\s?[:：][*_]{0,3}")
_VALUE = re.compile(r"\d|[★⭐]|\[\[|[一二三四五六七八九十][分点]")


def without_asides(text: str, scales: Iterable[Scale]) -> str:
    """The text with such clauses blanked out; every other character keeps its place."""
    numbers = not all(isinstance(scale, Category | Binary) for scale in scales)
    far = len(text) > _HEAD + _TAIL
    regions = [(0, _HEAD), (len(text) - _TAIL, len(text))] if far else [(0, len(text))]
    spans: list[Span] = []
    for region in regions:
        for line in _LINE.finditer(text, *region):
            if not numbers or _VALUE.search(line[0]):
                spans += _in_line(text, *line.span(), numbers=numbers)
    if not spans:
        return text
    signs = list(text)
    for begin, end in spans:
        signs[begin:end] = " " * (end - begin)
    return "".join(signs)


def _in_line(text: str, begin: int, end: int, *, numbers: bool) -> Iterator[Span]:
    for match in _SENTENCE_END.finditer(text, begin, end):
        yield from _in_sentence(text, begin, match.end(), numbers=numbers)
        begin = match.end()
    yield from _in_sentence(text, begin, end, numbers=numbers)


def _in_sentence(text: str, begin: int, end: int, *, numbers: bool) -> Iterator[Span]:
    sentence = text[begin:end]
    if (numbers and not _VALUE.search(sentence)) or len(sentence) > _LONGEST:
        return
    small = sentence.lower()
    sentence = small if len(small) == len(sentence) else sentence
    patterns = patterns_of(sentence)
    spans = _clauses(sentence, patterns, numbers=numbers) if patterns.any.search(sentence) else []
    if numbers:
        spans += _counted(sentence, patterns)
    if not spans:
        return
    label = _LABEL.match(sentence)
    first_given = text.find("[[", 0, begin) >= 0
    for low, high in spans:
        stays = label and low < label.end() < high and _stays(sentence, label)
        more = _RESULTING.match(sentence, high) if first_given else None
        yield (
            begin + (label.end() if label and stays else low),
            begin + (more.end() if more else high),
        )


# "It could be improved, earning a [[10]]", where a [[9]] stands before it
_RESULTING = re.compile(
    r",? (?:thus |thereby )?(?:earn|receiv|achiev|deserv|gett|reach|rais|mak)ing[^.!?]*"
)


def _stays(sentence: str, label: re.Match[str]) -> bool:
    """Whether the label is that of a section, and not of the value or a part of the clause."""
    patterns = patterns_of(label[0])
    kinds = (patterns.supposes, patterns.would, patterns.aside)
    return not _FIRST.match(sentence, label.end()) and not any(k.search(label[0]) for k in kinds)


_FIRST = re.compile(rf"\s*{VALUE}")


def _clauses(sentence: str, patterns: Patterns, *, numbers: bool) -> list[Span]:
    spans: list[Span] = []
    begin, end = 0, len(sentence.rstrip(" \t\r\n.!?。！？"))
    turns = [match.start() for match in patterns.turns.finditer(sentence, 0, end)]
    for turn in [*turns, end]:
        if turn > begin:
            spans += _in_part(sentence, begin, turn, patterns, numbers=numbers)
            begin = turn
    return spans


def _in_part(
    sentence: str, begin: int, end: int, patterns: Patterns, *, numbers: bool
) -> Iterator[Span]:
    """What is no statement between two turns of the sentence."""
    pieces = _pieces(sentence, begin, end)
    own = {match.end() for match in patterns.own.finditer(sentence, begin, end)}
    supposed = next(
        (
            match
            for match in patterns.supposes.finditer(sentence, begin, end)
            if not any(match.start() < stop and match.end() <= stop for stop in own)
        ),
        None,
    )
    if supposed:
        at = supposed.start()
        before = _ADJACENT.search(sentence, begin, at)
        whole = before or patterns.clause_first or MAY_BE.search(sentence, begin, at)
        at = before.end() - 1 if before else at
        closed = sentence.find(")", at, end) if "(" in sentence[begin:at] else -1
        low = next(low for low, high in pieces if low <= at <= high) if whole else at
        yield low, closed if closed >= 0 else end
    for kind in (patterns.would, patterns.aside) if numbers else (patterns.would,):
        for match in kind.finditer(sentence, begin, end):
            for low, high in pieces:
                if low < match.end() and match.start() < high:
                    yield low, high


def _counted(sentence: str, patterns: Patterns) -> Iterator[Span]:
    for number in islice(NUMBER.finditer(sentence), _MOST_NUMBERS):
        begin, end = number.span()
        if patterns.behind.match(sentence, end) or patterns.before.search(
            sentence, max(0, begin - 50), begin
        ):
            marks = _MARKS_BEFORE.search(sentence, max(0, begin - 30), begin)
            unit = _UNIT_BEHIND.match(sentence, end)
            yield marks.start() if marks else begin, unit.end() if unit else end


_MARKS_BEFORE, _UNIT_BEHIND = re.compile(rf"{MARKS}\Z"), re.compile(UNIT)
# A value right before a condition: "10/10, if it had a source"
_ADJACENT = re.compile(rf"{VALUE}{UNIT}[\s,，、;—-]{{0,3}}(?:only )?\Z")


def _pieces(sentence: str, begin: int, end: int) -> list[Span]:
    ends = [match.end() for match in _PIECE_END.finditer(sentence, begin, end)]
    starts = [begin, *ends]
    return list(zip(starts, [*ends, end], strict=True))
