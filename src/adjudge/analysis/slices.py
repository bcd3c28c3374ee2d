"""The difference within parts of the data, one look at each value of a column."""

from __future__ import annotations

import numpy as np

from adjudge.stats.arrays import Ints
from adjudge.stats.paired import paired_difference

from .comparison import CompareOptions, Slice
from .pairing import Pairing, Pairs

FEWEST = 5  # pairs that a test is worth making of
_MOST = 50  # values of a column beyond which it is no division of the data


def sliced(pairing: Pairing, pairs: Pairs, options: CompareOptions) -> tuple[Slice, ...]:
    """A slice for each value of each column asked for, the largest first.

    `pairs` have numbers. Slices of fewer than five pairs have a difference and no p. A column with
    more than 50 values has its 50 largest, and the others in one.
    """
    return tuple(
        _slice(pairing, column, value, Pairs(pairs.at[some], pairs.a[some], pairs.b[some]), options)
        for column in options.slices
        for value, some in _by_value(pairing, pairs, column)
    )


def _by_value(pairing: Pairing, pairs: Pairs, column: str) -> list[tuple[str, Ints]]:
    """By value, which of the pairs have it."""
    cells = pairing.column(column)
    found: dict[str, list[int]] = {}
    for n, at in enumerate(pairs.at.tolist()):
        value = cells[at]
        found.setdefault("(none)" if value is None else value, []).append(n)
    ordered = sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))
    kept = [(value, np.array(some)) for value, some in ordered[:_MOST]]
    if len(ordered) <= _MOST:
        return kept
    rest = np.concatenate([some for _, some in ordered[_MOST:]])
    return [*kept, (f"({len(ordered) - _MOST} other values)", rest)]


def _slice(
    pairing: Pairing, column: str, value: str, members: Pairs, options: CompareOptions
) -> Slice:
    groups = pairing.groups(members.at, options.group)
    paired = paired_difference(members.b, members.a, groups, options.resampling)
    return Slice(
        column=column,
        value=value,
        n=paired.n,
        difference=paired.difference,
        p=paired.p if paired.n >= FEWEST else None,
    )
