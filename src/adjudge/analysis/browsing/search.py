"""Looks for words in the texts of a run, without keeping any of them in memory.

A run's texts are hundreds of megabytes, so a search goes on in a thread of its own, to the end; a
page shows what it has so far. Rows are tested as they are kept, in bytes, and only those that may
hold the words are decoded.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import orjson

from adjudge.stats.arrays import Bools
from adjudge.stores import Store, TextCursor
from adjudge.stores.codec import encode

TIME = 0.15  # seconds that a page waits for a search


@dataclass(slots=True)
class Search:
    """`matches` is true for the items that are known to hold the words; `upto` is how far the texts
    were read, `read` how many rows that were. `ended` once nothing more comes: all is read, it was
    stopped, or `error` says why not."""

    words: str
    matches: Bools
    upto: TextCursor = field(default_factory=TextCursor)
    read: int = 0
    error: Exception | None = None
    ended: Event = field(default_factory=Event)
    stopped: bool = False

    @property
    def complete(self) -> bool:
        return self.upto.table == "end"

    def start(self, store: Store, run_id: str, places: Mapping[str, int]) -> None:
        """Searches all of the run's texts in a thread. It dies with the process: nothing is lost
        by it."""
        Thread(target=self._work, args=(store, run_id, places), daemon=True).start()

    def stop(self) -> None:
        """Nobody wants to know any more."""
        self.stopped = True

    def _work(self, store: Store, run_id: str, places: Mapping[str, int]) -> None:
        try:
            self._read(store, run_id, places)
        except Exception as error:  # told to whoever asks
            self.error = error
        finally:
            self.ended.set()

    def _read(self, store: Store, run_id: str, places: Mapping[str, int]) -> None:
        """Ids and inputs first, then explanations."""
        wanted, spellings = _plain(self.words), spelled(self.words)
        cased = self.words.lower() != self.words.upper()
        for item, place in places.items():
            self.matches[place] = wanted in _plain(item)
        for upto, rows in store.verdicts.texts(run_id, self.upto):
            for _, item, content in rows:
                kept = content.lower() if cased else content
                if any(spelling in kept for spelling in spellings):
                    at = places.get(item)
                    if at is not None and not self.matches[at]:
                        self.matches[at] = any(wanted in _plain(text) for text in _texts(content))
            self.upto, self.read = upto, self.read + len(rows)
            if self.stopped:
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
