"""Which item a person is asked about next."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter

from adjudge.core.scale import Scale
from adjudge.core.verdict import Verdict

from .uncertainty import item_uncertainty


def random_order(items: Iterable[str], seed: int) -> list[str]:
    """The items as a lottery would draw them: any beginning of the list is a random sample.

    An item's place depends on the seed and its id alone, so that the order is the same on every
    machine, and stays the same between the old items when a run gets new ones.
    """
    return sorted(items, key=lambda item: _lot(seed, item))


def uncertain_order(
    verdicts: Iterable[Verdict], judge: str, criteria: Mapping[str, Scale], seed: int
) -> list[str]:
    """The items that the judge is least sure of first; equally unsure ones in random order.

    `verdicts` come item by item, as a store streams them; those of other judges do not count.
    """
    rated = (
        (item_uncertainty(of_item, criteria), item) for item, of_item in _by_item(verdicts, judge)
    )
    ranked = sorted((-largest, -mean, _lot(seed, item), item) for (largest, mean), item in rated)
    return [item for *_, item in ranked]


def _by_item(verdicts: Iterable[Verdict], judge: str) -> Iterator[tuple[str, list[Verdict]]]:
    for item, group in groupby(verdicts, key=attrgetter("item")):
        of_judge = [verdict for verdict in group if verdict.judge == judge]
        if of_judge:
            yield item, of_judge


def _lot(seed: int, item: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{item}".encode(errors="surrogatepass")).digest()
