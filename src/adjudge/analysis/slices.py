"""The difference within parts of the data, one look at each value of a column."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.stats.paired import paired_difference

from .comparison import CompareOptions, Slice
from .pairing import Pair, Pairing

FEWEST = 5  # pairs that a test is worth making of
_MOST = 50  # values of a column beyond which it is no division of the data


def sliced(pairing: Pairing, pairs: Sequence[Pair], options: CompareOptions) -> tuple[Slice, ...]:
    """A slice for each value of each column asked for, the largest first.

    `pairs` have numbers. Slices of fewer than five pairs have a difference and no p. A column with
    more than 50 values has its 50 largest, and the others in one.
    """
    return tuple(
        _slice(pairing, column, value, members, options)
        for column in options.slices
        for value, members in _by_value(pairing, pairs, column)
    )


def _by_value(pairing: Pairing, pairs: Sequence[Pair], column: str) -> list[tuple[str, list[Pair]]]:
    found: dict[str, list[Pair]] = {}
    for pair in pairs:
        value = pairing.cell(pair.item, column)
        found.setdefault("(none)" if value is None else value, []).append(pair)
    ordered = sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))
    if len(ordered) <= _MOST:
        return ordered
    rest = [pair for _, members in ordered[_MOST:] for pair in members]
    return [*ordered[:_MOST], (f"({len(ordered) - _MOST} other values)", rest)]


def _slice(
    pairing: Pairing, column: str, value: str, members: Sequence[Pair], options: CompareOptions
) -> Slice:
    a, b = ([float(pair.a) for pair in members], [float(pair.b) for pair in members])
    paired = paired_difference(b, a, pairing.groups(members, options.group), options.resampling)
    return Slice(
        column=column,
        value=value,
        n=paired.n,
        difference=paired.difference,
        p=paired.p if paired.n >= FEWEST else None,
    )
