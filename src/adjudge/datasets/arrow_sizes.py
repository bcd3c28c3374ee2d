"""How large the rows of an Arrow batch are as Python objects, before they are made.

A value that a dictionary holds once can stand in every row: the rows may be thousands of times as
large as the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_FIXED = 16  # bytes of a number, a date, a null
Sizes = Any  # an array of numpy's, int64


def row_sizes(batch: Any) -> list[int]:
    """Bytes of each row, nearly; texts count by their UTF-8."""
    total = np.zeros(batch.num_rows, np.int64)
    for column in batch.columns:
        total += _sizes(column)
    return [int(size) for size in total]


def _sizes(array: Any) -> Sizes:
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    kinds: tuple[tuple[Callable[[Any], bool], Callable[[Any], Sizes]], ...] = (
        (pa.types.is_dictionary, _of_dictionary),
        (pa.types.is_struct, _of_struct),
        (pa.types.is_fixed_size_list, _of_fixed_lists),
        (pa.types.is_map, _of_lists),
        (pa.types.is_list, _of_lists),
        (pa.types.is_large_list, _of_lists),
        (_is_text, _of_texts),
    )
    for is_kind, of_kind in kinds:
        if is_kind(array.type):
            return of_kind(array)
    return np.full(len(array), _FIXED, np.int64)


def _is_text(kind: Any) -> bool:
    from pyarrow import types  # noqa: PLC0415

    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _of_texts(array: Any) -> Sizes:
    from pyarrow import compute  # noqa: PLC0415

    lengths = compute.fill_null(compute.binary_length(array), 0)
    return lengths.to_numpy(zero_copy_only=False).astype(np.int64) + _FIXED


def _of_dictionary(array: Any) -> Sizes:
    values = _sizes(array.dictionary)
    if not len(values):
        return np.full(len(array), _FIXED, np.int64)
    sizes = values[array.indices.fill_null(0).to_numpy(zero_copy_only=False)]
    return np.where(array.indices.is_null().to_numpy(zero_copy_only=False), _FIXED, sizes)


def _of_struct(array: Any) -> Sizes:
    total = np.full(len(array), _FIXED, np.int64)
    for place in range(array.type.num_fields):
        total += _sizes(array.field(place))
    return total


def _of_lists(array: Any) -> Sizes:
    before = np.concatenate([[0], np.cumsum(_sizes(array.values))])
    offsets = array.offsets.to_numpy(zero_copy_only=False)
    return before[offsets[1:]] - before[offsets[:-1]] + _FIXED


def _of_fixed_lists(array: Any) -> Sizes:
    width = array.type.list_size
    inner = array.values.slice(array.offset * width, len(array) * width)
    return _sizes(inner).reshape(len(array), width).sum(axis=1) + _FIXED
