"""Rows out of Arrow batches, for the formats that pyarrow reads, and how large they will be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from adjudge.core.reason import Reason

from .base import BadRow, RawRow, Source, plain
from .bounds import ROW, ROW_TOO_LARGE

_AT_ONCE = 256  # rows that are Python objects at a time
_BYTES = 32 * 1024 * 1024  # of them


@contextmanager
def named_errors(source: Source, what: str) -> Iterator[None]:
    """What pyarrow cannot read is a DataError that names the file."""
    import pyarrow  # noqa: PLC0415 - slow to load

    try:
        yield
    except MemoryError:  # pyarrow's own is one of its exceptions, too
        raise
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        why = str(error).strip().partition("\n")[0]
        raise source.error(Reason("file.unreadable", what=what, why=why)) from error


def rows_of(batches: Iterable[Any]) -> Iterator[RawRow]:
    """The rows of all batches, numbered from 1, as plain values."""
    number = 0
    for batch in batches:
        whole = _to_microseconds(batch)
        for start, count in _slices(row_sizes(whole)):
            if not count:
                number += 1
                yield BadRow(number, ROW_TOO_LARGE)
            for row in _rows(whole.slice(start, count), number):
                number += 1
                yield row


def _slices(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where each slice begins, and its rows: few enough to be Python objects at once; none where a
    single row is too large."""
    start = total = 0
    for place, size in enumerate(sizes):
        if place > start and (place - start == _AT_ONCE or total + size > min(_BYTES, ROW)):
            yield start, place - start
            start, total = place, 0
        total += size
        if size > ROW:
            yield place, 0
            start, total = place + 1, 0
    if start < len(sizes):
        yield start, len(sizes) - start


def _rows(batch: Any, before: int) -> Iterator[RawRow]:
    try:
        rows = batch.to_pylist()
    except UnicodeDecodeError:
        yield from _one_by_one(batch, before)
        return
    for number, row in enumerate(rows, before + 1):
        yield number, {name: plain(value) for name, value in row.items()}


def _one_by_one(batch: Any, before: int) -> Iterator[RawRow]:
    for place in range(batch.num_rows):
        number = before + place + 1
        try:
            (row,) = batch.slice(place, 1).to_pylist()
        except UnicodeDecodeError as wrong:
            byte = f"byte 0x{wrong.object[wrong.start]:02X}"
            yield BadRow(number, Reason("rows.wrong_text", byte=str(byte)))
        else:
            yield number, {name: plain(value) for name, value in row.items()}


def _to_microseconds(batch: Any) -> Any:
    """Python's own times end there; a nanosecond more would need pandas."""
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    schema = pa.schema([field.with_type(_coarser(field.type)) for field in batch.schema])
    if schema.equals(batch.schema):
        return batch
    columns = [
        column.cast(field.type, safe=False)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _coarser(kind: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return pa.timestamp("us", tz=kind.tz)
    if pa.types.is_time64(kind) and kind.unit == "ns":
        return pa.time64("us")
    if pa.types.is_duration(kind) and kind.unit == "ns":
        return pa.duration("us")
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_coarser(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_coarser(field.type)) for field in kind])
    return kind


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
