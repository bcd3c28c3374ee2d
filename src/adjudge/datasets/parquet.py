"""Parquet, page by page: a row group of a million rows takes no more memory than a small one."""

from __future__ import annotations

from collections.abc import Iterator

from .arrow_rows import check_names, named_errors, rows_of
from .base import Format, RawRow, Source
from .textfile import open_bytes

_ROWS = 1024  # a batch
_BUFFER = 64 * 1024  # bytes of a column that are read at once; 0 would read the whole chunk


def read(source: Source) -> Iterator[RawRow]:
    """The rows, numbered from 1; nested columns are objects and lists."""
    from pyarrow import parquet  # noqa: PLC0415 - slow to load

    with open_bytes(source) as file, named_errors(source, "Parquet"):
        table = parquet.ParquetFile(
            file, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True
        )
        check_names(source, table.schema_arrow.names)
        yield from rows_of(table.iter_batches(_ROWS, use_threads=False))


FORMAT = Format(endings=(".parquet",), read=read, fixed_columns=True, unit="row")
