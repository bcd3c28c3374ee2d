"""Rows out of Arrow batches, for the formats that pyarrow reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from adjudge.errors import DataError

from .arrow_sizes import row_sizes
from .base import BadRow, RawRow, Source
from .bounds import ROW, ROW_TOO_LARGE
from .plain import plain

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
    except (pyarrow.ArrowException, OSError) as error:
        why = str(error).strip().partition("\n")[0]
        raise DataError(
            f"{source}: cannot be read as {what} ({why}); write or fetch it again"
        ) from error


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
            yield BadRow(number, f"{byte} in a text is not UTF-8; write the texts as UTF-8")
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
