"""Samples of one item: how far they lie apart, and when their majority is certain."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
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
    return moments(numbers) if len(numbers) == len(values) else (None, None)


def moments(numbers: Sequence[float]) -> tuple[float, float | None]:
    """The mean of one number or more, and the standard deviation (of a sample, None below two)."""
    mean = math.fsum(numbers) / len(numbers)
    if len(numbers) < 2:
        return mean, None
    squares = math.fsum((number - mean) ** 2 for number in numbers)
    return mean, math.sqrt(squares / (len(numbers) - 1))


def is_decided(values: Sequence[Hashable], to_come: int) -> bool:
    """Whether one value leads, and will lead alone, whatever the samples `to_come` say.

    `values` are those of the samples taken; one without a value has no vote. Stopping here leaves
    the commonest value of the whole as it would be; a mean over the samples may well differ.
    """
    if not to_come:
        return True
    leading = [count for _, count in Counter(values).most_common(2)] + [0, 0]
    return leading[0] - leading[1] > to_come


def steps(samples: int) -> Iterator[range]:
    """The samples in the steps in which they are taken: a bare majority at once, then one by one.

    Before the first step is done nothing can be decided.
    """
    first = samples // 2 + 1
    yield range(first)
    for sample in range(first, samples):
        yield range(sample, sample + 1)
