"""The spread of many items' samples at once; `spread.py` says what the figures mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats.arrays import Floats, Ints, numbers, same_length


@dataclass(frozen=True, slots=True)
class Spreads:
    """One entry an item that has two values or more, in the order of their numbers."""

    n: Ints
    flip_rate: Floats
    entropy: Floats
    sd: Floats


def spreads(items: npt.ArrayLike, values: npt.ArrayLike) -> Spreads:
    """Of values in long form, each with the number of its item. Names are coded as numbers first;
    what `sd` says of these means nothing."""
    of, given = np.asarray(items, dtype=np.intp), numbers(values)
    same_length(of, given)
    _, of = np.unique(of, return_inverse=True)
    counts = np.bincount(of)
    several = counts[of] >= 2
    _, of = np.unique(of[several], return_inverse=True)
    given = given[several]
    counts = np.bincount(of)
    if not len(given):
        return Spreads(counts, *np.zeros((3, 0)))
    distinct, places = np.unique(given, return_inverse=True)
    cells, same = np.unique(of * len(distinct) + places, return_counts=True)
    owner = cells // len(distinct)
    most = np.zeros(len(counts))
    np.maximum.at(most, owner, same)
    share = same / counts[owner]
    means = np.bincount(of, given) / counts
    squares = np.bincount(of, (given - means[of]) ** 2)
    return Spreads(
        counts,
        1 - most / counts,
        np.maximum(np.bincount(owner, -share * np.log2(share)), 0.0),
        np.sqrt(squares / (counts - 1)),
    )
