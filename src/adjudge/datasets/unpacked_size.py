"""A small file can unpack to a huge one: its size inside is looked at before anything reads it."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from pathlib import Path

from adjudge.errors import DataError

from . import gzip_file
from .base import Source
from .textfile import open_bytes

_PIECE = 2**20


def check_unpacked(path: Path, name: str, most: int) -> None:
    """DataError where the data are more than `most` bytes once they are unpacked.

    `name` says by its ending what the file is. Workbooks and Parquet say their size themselves;
    gzip is unpacked as far as `most`. A file that is broken is left to whoever reads it.
    """
    match Path(name).suffix.casefold():
        case gzip_file.ENDING:
            size = _gzip(Source(path, shown=name), most)
        case ".xlsx":
            size = _zip(path)
        case ".parquet":
            size = _parquet(path)
        case _:
            return
    if size > most:
        raise DataError(
            f"{name}: unpacks to more than {most:,} bytes, the most that is taken here;"
            " send the data in parts"
        )


def _gzip(source: Source, most: int) -> int:
    size = 0
    with suppress(DataError), gzip_file.unpacked(source, open_bytes(source)) as inside:
        while size <= most and (piece := inside.read(_PIECE)):
            size += len(piece)
    return size


def _zip(path: Path) -> int:
    try:
        with zipfile.ZipFile(path) as packed:
            return sum(each.file_size for each in packed.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return 0


def _parquet(path: Path) -> int:
    from pyarrow import ArrowException, parquet  # noqa: PLC0415 - slow to load

    try:
        told = parquet.read_metadata(path)
    except (ArrowException, OSError, ValueError):
        return 0
    return sum(told.row_group(number).total_byte_size for number in range(told.num_row_groups))
