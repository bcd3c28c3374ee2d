"""Quotations, found in the texts that they claim to come from.

A quotation is found where it stands to the letter, or where it differs in nothing but white space,
the kind of quotation marks and dashes, and signs that nobody sees. Case, accents, words and digits
count: a quotation with one other word is not in the text. An ellipsis joins passages that must all
be there, in their order. What is shorter than three letters or digits says nothing, and is not
looked for. Time is linear in the text.
"""

from __future__ import annotations

import json
import re
import unicodedata
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from adjudge.core.score import Quotation

Span = tuple[int, int]

LONGEST = 4000  # characters of a quotation; what is longer is a copy of the text
_LEAST = 3  # letters or digits, of a quotation and of each passage that an ellipsis joins
# Signs that are written in several ways, each for one.
_ALIKE = {
    "'": "‘’‚‛′´`ʼ＇",
    '"': "“”„‟″«»「」『』＂",
    "-": "‐‑‒–—―−－﹣",
}
_PLAIN = {ord(sign): plain for plain, signs in _ALIKE.items() for sign in signs}
# Nobody sees these, and prompts are made without them.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufe00-\ufe0f]")
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|…)\s*")
# What a model puts around a quotation, or a list's bullet in front of it.
_AROUND = " \t\r\n\"'`“”‘’„«»「」『』*_"
_BULLET = re.compile(r"^(?:[-*•·>]|\d{1,2}[.)])\s+")


def locate(quote: str, texts: Mapping[str, str], source: int | None = None) -> Quotation:
    """Where the quotation stands in the first of the texts that has it; without a place in none.

    It is looked for in the entry number `source` first: a passage may stand in several.
    """
    entries = [(name, *entry) for name, text in texts.items() for entry in _entries(text)]
    entries.sort(key=lambda entry: source is None or entry[1] != source)
    for name, number, text in entries:
        if span := find_quote(quote, text):
            return Quotation(quote, name, *span, number)
    return Quotation(quote)


@lru_cache(maxsize=8)
def _entries(text: str) -> tuple[tuple[int | None, str], ...]:
    """The text itself; of a list in JSON its entries with their numbers, from 1."""
    if text[:1] == "[" and text.rstrip()[-1:] == "]":
        try:
            entries = json.loads(text)
        except (ValueError, RecursionError):
            entries = None
        if isinstance(entries, list) and entries:
            return tuple((at, text_of_entry(entry)) for at, entry in enumerate(entries, 1))
    return ((None, text),)


def source_text(text: str, source: int | None) -> str:
    """The text that a quotation's place is in: that of the entry with the number, or all of it."""
    if source is None:
        return text
    entries = _entries(text)
    return entries[source - 1][1] if 0 < source <= len(entries) else text


def span_in_field(quotation: Quotation, fields: Mapping[str, str]) -> Span | None:
    """Where a quotation stands in the text of its input as the data has it, also in a list."""
    text = fields.get(quotation.input or "", "")
    if quotation.start is None or quotation.end is None:
        return None
    if quotation.source is None or text[:1] != "[":
        return quotation.start, quotation.end
    passage = source_text(text, quotation.source)[quotation.start : quotation.end]
    written = json.dumps(passage, ensure_ascii=False)[1:-1]
    at = text.find(written)
    return (at, at + len(written)) if at >= 0 else None


_TEXT_KEYS = ("text", "content", "page_content", "passage", "document", "body", "snippet")


def text_of_entry(entry: object) -> str:
    """What is read of an entry of a list: its text, or the text that an object holds."""
    if isinstance(entry, str):
        return entry
    if isinstance(entry, Mapping):
        texts = (entry[key] for key in _TEXT_KEYS if isinstance(entry.get(key), str))
        if text := next(texts, None):
            return str(text)
    return json.dumps(entry, ensure_ascii=False)


def find_quote(quote: str, text: str) -> Span | None:
    """Where the quotation begins and ends in the text; None where it does not stand there."""
    quote = quote.strip()
    if not text or len(quote) > LONGEST or not _says_something(quote):
        return None
    at = text.find(quote)
    if at >= 0 and _is_whole(text, at, at + len(quote)):
        return at, at + len(quote)
    bare = _BULLET.sub("", quote).strip(_AROUND)
    whole = _folded(text)
    for candidate in dict.fromkeys((quote, bare)):
        if span := _in_order([candidate], whole):
            return span
    passages = [part.strip(_AROUND) for part in _ELLIPSIS.split(bare) if part.strip(_AROUND)]
    return _in_order(passages, whole) if passages else None


def _says_something(quote: str) -> bool:
    return sum(sign.isalnum() for sign in quote) >= _LEAST


def _in_order(passages: Sequence[str], whole: _Folded) -> Span | None:
    """From the beginning of the first passage to the end of the last, each behind the former."""
    begin, at = None, 0
    for passage in passages:
        signs = _folded(passage).signs
        place = next(_whole_places(signs, whole.signs, at), None)
        if place is None or not _says_something(signs):
            return None
        begin = place if begin is None else begin
        at = place + len(signs)
    return None if begin is None else (whole.begins[begin], whole.ends[at - 1])


_TRIED = 1000  # places at which a quotation may stand inside longer words, before it is given up


def _whole_places(passage: str, text: str, at: int) -> Iterator[int]:
    """Where the passage stands, and cuts no word or number in two."""
    for _ in range(_TRIED):
        at = text.find(passage, at)
        if at < 0:
            return
        if _is_whole(text, at, at + len(passage)):
            yield at
        at += 1


def _is_whole(text: str, begin: int, end: int) -> bool:
    return not (_cuts(text, begin) or _cuts(text, end))


def _cuts(text: str, at: int) -> bool:
    """Whether a word or a number goes on over this place: "not 1" is not in "not 15".

    Korean, Chinese, Japanese and Thai are written without a space where a quotation may end.
    """
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isdigit() and after.isdigit():
        return True
    return before.isalpha() and after.isalpha() and _is_spaced(before) and _is_spaced(after)


def _is_spaced(letter: str) -> bool:
    """Whether the letter is of a script that has spaces between words, and none inside."""
    return letter < "\u0e00" or "\u1e00" <= letter < "\u2000"


class _Folded(NamedTuple):
    """A text with one sign for all that are alike, and where each of its signs begins and ends."""

    signs: str
    begins: Sequence[int]
    ends: Sequence[int]


@lru_cache(maxsize=8)
def _folded(text: str) -> _Folded:
    """Letters with marks are put together, so that it does not matter whether they came apart."""
    signs: list[str] = []
    begins, ends = array("I"), array("I")
    for at, cluster in _clusters(text):
        if cluster.isspace():
            plain = "" if not signs or signs[-1] == " " else " "
        elif _UNSEEN.fullmatch(cluster):
            continue
        else:
            plain = unicodedata.normalize("NFC", cluster).translate(_PLAIN)
            plain = "" if plain == "-" and signs and signs[-1] == "-" else plain
        for sign in plain:
            signs.append(sign)
            begins.append(at)
            ends.append(at + len(cluster))
    while signs and signs[-1] == " ":
        signs.pop()
    return _Folded("".join(signs), begins, ends)


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """Each sign with the marks that follow it, and where it begins."""
    if text.isascii():
        yield from enumerate(text)
        return
    begin = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not (_is_joined(text[at]) and at - begin < 8):
            yield begin, text[begin:at]
            begin = at


def _is_joined(sign: str) -> bool:
    """Whether the sign belongs to the one before: a combining mark, a vowel or final of Hangul."""
    return sign > "\u02ff" and (bool(unicodedata.combining(sign)) or "\u1160" <= sign <= "\u11ff")
