"""How far the samples of one item and criterion lie apart. Without numpy: it runs once an item."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Value = float | int | bool | str


@dataclass(frozen=True, slots=True)
class Spread:
    """Samples of one thing; `n` of them have a value.

    `mode` is the commonest value, of several (`divided`) the one that was sampled first. `mean` and
    `sd` (of a sample, None below two) are in units of the scale, and None for names. `flip_rate` is
    the share of values that differ from the mode, from 0 to below 1; `entropy` is in bits, 0 when
    all are the same. Without any value all of them are None.
    """

    n: int
    mode: Value | None = None
    mean: float | None = None
    sd: float | None = None
    flip_rate: float | None = None
    entropy: float | None = None
    divided: bool = False

    @property
    def flips(self) -> bool:
        return bool(self.flip_rate)


def spread(values: Sequence[Value]) -> Spread:
    """Of the values that there are; yes is 1 and no is 0 in the mean."""
    if not values:
        return Spread(0)
    counts = Counter(values)
    (mode, most), *others = counts.most_common(2)
    shares = [count / len(values) for count in counts.values()]
    return Spread(
        len(values),
        mode,
        *_moments(values),
        1 - most / len(values),
        max(0.0, -sum(share * math.log2(share) for share in shares)),
        bool(others and others[0][1] == most),
    )


def _moments(values: Sequence[Value]) -> tuple[float | None, float | None]:
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        return None, None
    mean = math.fsum(numbers) / len(numbers)
    if len(numbers) < 2:
        return mean, None
    squares = math.fsum((number - mean) ** 2 for number in numbers)
    return mean, math.sqrt(squares / (len(numbers) - 1))
