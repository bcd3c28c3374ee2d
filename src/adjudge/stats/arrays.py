"""Sequences as arrays, refused where they do not fit each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]


def numbers(values: npt.ArrayLike, name: str = "values") -> Floats:
    """The values as floats; refuses what is not finite, for a failure is never a number."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise UsageError(f"{name}: expected one value a row, got an array of shape {array.shape}")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise UsageError(
            f"{name}: row {bad[0]} is {array[bad[0]]}; leave unscored rows out, and count them"
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
        raise UsageError(f"{len(first)} values cannot be paired with {len(second)}")


def codes(*vectors: npt.ArrayLike) -> tuple[tuple[Any, ...], list[Ints]]:
    """The distinct values of all vectors in order, and each vector as places among them."""
    arrays = [np.asarray(vector) for vector in vectors]
    lengths = np.cumsum([len(array) for array in arrays])[:-1]
    labels, places = np.unique(np.concatenate(arrays), return_inverse=True)
    return tuple(labels.tolist()), np.split(places.astype(np.intp), lengths)


def middle_ranks(values: Floats) -> Floats:
    """The rank of each value from 1; equal ones share their middle rank."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return ranks
