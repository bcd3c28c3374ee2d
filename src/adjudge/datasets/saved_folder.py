"""Folders that Hugging Face `datasets` writes with `save_to_disk`.

They hold Arrow streams beside a list of them; a folder of several splits holds such folders.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from adjudge.core.reason import Reason
from adjudge.errors import DataError
from adjudge.extras import require

from .base import Format, RawRow, Source
from .bounds import check_header

_STATE = "state.json"
_SPLITS = "dataset_dict.json"


def is_saved(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (_STATE, _SPLITS))


def read(source: Source) -> Iterator[RawRow]:
    """The rows in the order of the files, numbered from 1 through all of them."""
    folder = _folder(source)
    names = [entry["filename"] for entry in _listed(source, folder / _STATE, "_data_files")]
    require("parquet", str(source))
    from .arrow import named_errors, rows_of  # noqa: PLC0415 - numpy is slow to load

    with named_errors(source, "a saved dataset"):
        yield from rows_of(batch for name in names for batch in _batches(source, folder / name))


def _folder(source: Source) -> Path:
    """The folder of the split; DataError lists the splits where one must be chosen."""
    path = source.path
    if not is_saved(path):
        raise DataError(Reason("file.folder", pattern=str(path / "*.jsonl")).in_file(path))
    if not (path / _SPLITS).is_file():
        if source.part is not None:
            raise source.error(Reason("file.no_splits", part=source.part))
        return path
    splits = _listed(source, path / _SPLITS, "splits")
    if source.part in splits or (source.part is None and len(splits) == 1):
        return path / (source.part or splits[0])
    names = ", ".join(map(repr, splits))
    raise source.error(Reason("file.splits", names=names, path=str(path), first=splits[0]))


def _listed(source: Source, path: Path, key: str) -> list[Any]:
    try:
        names = orjson.loads(path.read_bytes())[key]
    except (OSError, KeyError, TypeError, orjson.JSONDecodeError) as error:
        raise source.error(Reason("file.part_broken", name=path.name, why=repr(error))) from error
    return list(names)


def _batches(source: Source, path: Path) -> Iterator[Any]:
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    # Not mapped into memory: what was read would count as ours until the end.
    with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as stream:
        check_header(source, stream.schema.names)
        yield from stream


FORMAT = Format(endings=(), read=read, fixed_columns=True, unit="row", parts="a split")
