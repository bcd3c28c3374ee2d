"""Parquet, page by page: a row group of a million rows takes no more memory than a small one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge.extras import require

from .base import Format, RawRow, Source
from .bounds import check_header
from .textfile import open_bytes

_ROWS = 1024  # a batch
_MOST = 32 * 1024 * 1024  # bytes of a batch where texts repeat each other
_TEXT, _PREFIXES = "BYTE_ARRAY", "DELTA_BYTE_ARRAY"
_BUFFER = 64 * 1024  # bytes of a column that are read at once; 0 would read the whole chunk


def read(source: Source) -> Iterator[RawRow]:
    """The rows, numbered from 1; nested columns are objects and lists."""
    require("parquet", str(source))
    from pyarrow import parquet  # noqa: PLC0415 - slow to load

    from .arrow import named_errors, rows_of  # noqa: PLC0415 - as above

    with open_bytes(source) as file, named_errors(source, "Parquet"):
        metadata = parquet.read_metadata(file)
        _look_into_groups(parquet.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False))
        # What is written once for many rows is read once for them, too.
        table = parquet.ParquetFile(
            file,
            read_dictionary=_repeated(metadata),
            buffer_size=_BUFFER,
            pre_buffer=False,
            page_checksum_verification=True,
        )
        check_header(source, table.schema_arrow.names)
        yield from rows_of(table.iter_batches(_batch(metadata), use_threads=False))


def _look_into_groups(table: Any) -> None:
    """A row of each, of all columns: where their description is broken this raises, while to ask
    the description itself ends the whole process."""
    for number in range(table.num_row_groups):
        next(table.iter_batches(1, row_groups=[number], use_threads=False), None)


def _repeated(metadata: Any) -> list[str]:
    """The columns of texts that are written with a dictionary, by their paths."""
    schema = metadata.schema
    known = {schema.column(place).path for place in range(len(schema))}
    dictionaries = {
        column.path_in_schema
        for column in _columns(metadata)
        if column.physical_type == _TEXT and any("DICTIONARY" in way for way in column.encodings)
    }
    return sorted(dictionaries & known)  # a broken file may name others


def _batch(metadata: Any) -> int:
    """Rows that are read at once: few where each text may repeat the one before, as a whole."""
    largest = max(
        (
            column.total_uncompressed_size
            for column in _columns(metadata)
            if _PREFIXES in column.encodings
        ),
        default=0,
    )
    return max(1, min(_ROWS, _MOST // largest)) if largest else _ROWS


def _columns(metadata: Any) -> Iterator[Any]:
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield from (group.column(place) for place in range(group.num_columns))


FORMAT = Format(endings=(".parquet",), read=read, fixed_columns=True, unit="row")
