"""Which item a person is asked about next."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .uncertainty import Uncertain


class Queue(tuple[str, ...]):
    """Items in the order in which they are asked; a page finds its place among 100,000 by it."""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """By item, from 0."""
        return {item: place for place, item in enumerate(self)}


def random_order(items: Iterable[str], seed: int) -> list[str]:
    """The items as a lottery would draw them: any beginning of the list is a random sample.

    An item's place depends on the seed and its id alone, so that the order is the same on every
    machine, and stays the same between the old items when a run gets new ones.
    """
    return sorted(items, key=lambda item: _lot(seed, item))


def uncertain_order(items: Sequence[str], doubts: Uncertain, seed: int) -> list[str]:
    """The items that the judge is least sure of first; equally unsure ones in random order.

    `doubts` has a place for each item; what the judge did not judge is left out.
    """
    import numpy as np  # noqa: PLC0415 - whoever has doubts has loaded it

    there = np.flatnonzero(doubts.here)
    judged = [items[place] for place in there.tolist()]
    # Of a lot the first 8 of its 32 bytes: no two of a billion items share them.
    lots = np.frombuffer(b"".join(_lot(seed, item)[:8] for item in judged), ">u8")
    order = np.lexsort((lots, -doubts.mean[there], -doubts.largest[there]))
    return [judged[place] for place in order.tolist()]


def _lot(seed: int, item: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{item}".encode(errors="surrogatepass")).digest()
