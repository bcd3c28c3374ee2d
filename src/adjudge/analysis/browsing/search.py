"""Looks for words in the texts of a run, without keeping any of them in memory.

A run's texts are hundreds of megabytes, so a search is given some time, and goes on from there when
the same words are looked for again. Rows are tested as they are kept, in bytes, and only those that
may hold the words are decoded.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import orjson

from adjudge.stats.arrays import Bools
from adjudge.stores import Store, TextCursor
from adjudge.stores.codec import encode

TIME = 0.15  # seconds


@dataclass(slots=True)
class Search:
    """`matches` is true for the items that are known to hold the words; `upto` is how far the texts
    were read, `read` how many rows that were."""

    words: str
    matches: Bools
    upto: TextCursor = field(default_factory=TextCursor)
    read: int = 0

    @property
    def complete(self) -> bool:
        return self.upto.table == "end"


def search_further(search: Search, store: Store, run_id: str, places: Mapping[str, int]) -> None:
    """Searches on for a while, or to the end: ids and inputs first, then explanations."""
    if search.complete:
        return
    end = monotonic() + TIME
    wanted, spellings = _plain(search.words), spelled(search.words)
    cased = search.words.lower() != search.words.upper()
    if search.read == 0:
        for item, place in places.items():
            search.matches[place] = wanted in _plain(item)
    for upto, rows in store.verdicts.texts(run_id, search.upto):
        for _, item, content in rows:
            kept = content.lower() if cased else content
            for spelling in spellings:
                if spelling in kept:
                    at = places.get(item)
                    if at is not None and not search.matches[at]:
                        search.matches[at] = any(wanted in _plain(text) for text in _texts(content))
                    break
        search.upto, search.read = upto, search.read + len(rows)
        if monotonic() > end:
            return


def spelled(words: str) -> list[bytes]:
    """How the words may stand in a kept text, once its ASCII letters are lower ones: with accents
    as one character or two, and with other letters in either case."""
    ways = dict.fromkeys(
        unicodedata.normalize(form, cased)
        for cased in (words.lower(), words, words.upper(), words.title(), words.capitalize())
        for form in ("NFC", "NFD")
    )
    return list(dict.fromkeys(encode(way)[1:-1].lower() for way in ways))


def _plain(text: str) -> str:
    """As texts are compared."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _texts(content: bytes) -> Iterator[str]:
    """What people read of an item or a verdict."""
    row: dict[str, Any] = orjson.loads(content)
    if "scores" not in row:
        yield from _strings((row["fields"], row["extra"]))
        return
    for score in row["scores"].values():
        yield score.get("explanation") or ""
    yield from _strings(row.get("feedback", {}))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)
    elif value is not None:
        yield str(value)
