"""The ids seen so far, in a few bytes each."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Set

_WORD = (1 << 64) - 1


class Ids:
    """A set of ids that remembers 64-bit hashes and the numbers of their rows, not the texts.

    An open-addressing table, 24 to 48 bytes an id (a set of texts takes over 100). Two of a million
    different ids share a hash with a chance of 3 in 10^8.

    `repeated` is what an earlier reading of the same rows has found to come more than once: then
    only those are remembered, and all others are new.
    """

    def __init__(self, repeated: Set[int] | None = None) -> None:
        self.repeated: set[int] = set()  # hashes of ids that were taken when they were claimed
        self._remembered = repeated
        self._hashes = array("Q", bytes(8 * 1024))
        self._lines = array("I", bytes(4 * 1024))
        self._count = 0
        self._repeats: dict[str, int] = {}

    def claim(self, name: str, line: int) -> int | None:
        """Takes the id for the row on `line`; the line of the earlier row when it is taken.

        Lines are numbers below 2^32 that mean something to the caller.
        """
        key = hash(name) & _WORD or 1  # 0 marks a free place
        if self._remembered is not None and key not in self._remembered:
            return None
        place = self._find(key)
        if self._hashes[place]:
            self.repeated.add(key)
            return self._lines[place]
        self._hashes[place], self._lines[place] = key, line
        self._count += 1
        if self._count * 2 > len(self._hashes):
            self._grow()
        return None

    def make(self, content: bytes, line: int) -> str:
        """An id for a row without one: sixteen hex digits over its content.

        Further rows of the same content get `-2`, `-3` … behind it.
        """
        base = hashlib.sha256(content).hexdigest()[:16]
        if base not in self._repeats and self.claim(base, line) is None:
            return base
        number = self._repeats.get(base, 1) + 1
        while self.claim(f"{base}-{number}", line) is not None:
            number += 1
        self._repeats[base] = number
        return f"{base}-{number}"

    def _find(self, key: int) -> int:
        hashes, mask = self._hashes, len(self._hashes) - 1
        place = key & mask
        while hashes[place] and hashes[place] != key:
            place = (place + 1) & mask
        return place

    def _grow(self) -> None:
        hashes, lines = self._hashes, self._lines
        self._hashes = array("Q", bytes(16 * len(hashes)))
        self._lines = array("I", bytes(8 * len(lines)))
        for key, line in zip(hashes, lines, strict=True):
            if key:
                place = self._find(key)
                self._hashes[place], self._lines[place] = key, line
