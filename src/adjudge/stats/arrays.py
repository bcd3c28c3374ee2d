"""Sequences as arrays, refused where they do not fit each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]


def numbers(values: npt.ArrayLike, name: str = "values") -> Floats:
    """The values as floats; refuses what is not finite, for a failure is never a number."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise UsageError(Reason("stats.one_value", name=name, shape=str(array.shape)))
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise UsageError(
            Reason("stats.odd_value", name=name, row=str(bad[0]), value=str(array[bad[0]]))
        )
    return array


def number_pair(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Two vectors of one length."""
    one, other = numbers(first, "first"), numbers(second, "second")
    same_length(one, other)
    return one, other


def same_length(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> None:
    """Refuses vectors that cannot be paired row by row."""
    if len(first) != len(second):
        raise UsageError(Reason("stats.unpaired", a=len(first), b=len(second)))


def codes(*vectors: npt.ArrayLike) -> tuple[tuple[Any, ...], list[Ints]]:
    """The distinct values of all vectors in order, and each vector as places among them."""
    arrays = [np.asarray(vector) for vector in vectors]
    lengths = np.cumsum([len(array) for array in arrays])[:-1]
    labels, places = np.unique(np.concatenate(arrays), return_inverse=True)
    return tuple(labels.tolist()), np.split(places.astype(np.intp), lengths)


def middle_ranks(values: Floats) -> Floats:
    """The rank of each value from 1; equal ones share their middle rank."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


def cell_means(places: Ints, values: Floats, shape: tuple[int, int]) -> Floats:
    """A table with the mean of the values at each place, counted row by row; NaN without any."""
    size = shape[0] * shape[1]
    counts, sums = np.bincount(places, minlength=size), np.bincount(places, values, size)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).reshape(shape)


def mean_of_known(rows: Floats | Iterable[Floats], size: int | tuple[()] = ()) -> Floats:
    """By column, over the rows that have a number; NaN where none has. Without a row it takes the
    `size` to know how many columns there are."""
    total, counts = np.zeros(size), np.zeros(size)
    for row in rows:
        known = np.isfinite(row)
        total, counts = total + np.where(known, row, 0.0), counts + known
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)


def spread_of(rows: Floats, *, names: bool = False) -> Floats:
    """By column, from the lowest to the highest number, of codes of `names` 1 where two differ; NaN
    below two."""
    known = np.isfinite(rows)
    twice = known.sum(axis=0) > 1
    highest, lowest = (np.where(known, rows, np.inf * end) for end in (-1, 1))
    apart = np.full(rows.shape[1], np.nan)
    np.subtract(highest.max(axis=0), lowest.min(axis=0), out=apart, where=twice)
    return np.where(twice, apart > 0, np.nan) if names else apart


def rating_table(ratings: npt.ArrayLike) -> Floats:
    """The ratings as a table items by raters; refuses any other shape."""
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise UsageError(Reason("stats.table", shape=str(table.shape)))
    return table
