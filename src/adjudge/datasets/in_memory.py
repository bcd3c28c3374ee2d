"""Rows that a program has already: data frames, Arrow tables, iterables of dicts.

They go the way of a file's rows: the same checks, the same ids by content, the same hash. Libraries
are known by what they hand in and never imported here.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge.core.reason import Reason
from adjudge.errors import DataError, UsageError

from . import kept_rows
from .base import BadRow, Cells, Format, RawRow, Source, plain
from .sources import Data, open_data

_AT_ONCE = 1000  # rows of a data frame that are Python objects at a time
_NOT_ROWS = (Mapping, str, bytes, bytearray, memoryview)


# A path, or rows in memory: whatever `data_of` takes. Its classes are those of other libraries.
DataLike = Any


def opened_data(data: DataLike) -> Data:
    """The data of a path, a pattern, or of rows in memory."""
    if isinstance(data, Data):
        return data
    return open_data(str(data)) if isinstance(data, str | Path) else data_of(data)


def data_of(rows: object) -> Data:
    """The rows of a pandas or polars data frame, an Arrow table or reader, a Hugging Face dataset,
    or any iterable of mappings. UsageError for anything else.

    What can be walked only once is put into a temporary file first, which goes with the data.
    """
    name = _name(rows)
    if isinstance(rows, Mapping) and name.startswith("datasets."):
        splits = tuple(map(str, rows))
        raise UsageError(Reason("memory.splits", kind=name, splits=splits, first=splits[0]))
    read = _READERS.get(name)
    if read is not None:
        return _data(name, lambda: read(rows), fixed=True)
    if isinstance(rows, _NOT_ROWS) or not isinstance(rows, Iterable):
        raise UsageError(Reason("memory.no_rows", kind=name))
    if name == "pyarrow.RecordBatchReader":
        return _spooled(name, _arrow_rows(rows))
    if iter(rows) is rows:
        return _spooled(name, _dicts(rows))
    return _data(name, lambda: _dicts(rows), fixed=False)


def _name(rows: object) -> str:
    """How messages and the list of runs call it."""
    kind = type(rows)
    home = kind.__module__.partition(".")[0]
    return kind.__name__ if home == "builtins" else f"{home}.{kind.__name__}"


def _data(name: str, read: Callable[[], Iterator[RawRow]], *, fixed: bool) -> Data:
    known = Format(endings=(), read=lambda _: read(), fixed_columns=fixed, unit="row")
    return Data(name, ((Source(Path(name), shown=name), known),))


def _dicts(rows: Iterable[object]) -> Iterator[RawRow]:
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            yield BadRow(number, Reason("memory.no_dict", kind=type(row).__name__))
            continue
        try:
            yield number, {str(name): cell(value) for name, value in row.items()}
        except RecursionError:
            yield BadRow(number, Reason("rows.too_deep"))


class _Spool:
    """Rows in a file of their own, deleted with the last that holds this."""

    def __init__(self, rows: Iterator[RawRow]) -> None:
        folder = tempfile.mkdtemp(prefix="adjudge-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = Path(folder, "rows")
        with self.path.open("wb") as out:
            kept_rows.write(rows, out)


def _spooled(name: str, rows: Iterator[RawRow]) -> Data:
    spool = _Spool(rows)
    known = Format(endings=(), read=kept_rows.read, fixed_columns=False, unit="row")
    return Data(name, ((Source(spool.path, shown=name), known),), kept=spool)


def _pandas(frame: Any) -> Iterator[RawRow]:
    """An index that has a name is a column too."""
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    names = [str(name) for name in (*named, *frame.columns)]
    _check_names(names)
    for start in range(0, len(frame), _AT_ONCE):
        part = frame.iloc[start : start + _AT_ONCE]
        columns = [part.index.get_level_values(name) for name in named]
        # By position: two columns of one name would be one Series otherwise.
        columns += [part.iloc[:, place] for place in range(part.shape[1])]
        yield from _numbered(names, zip(*columns, strict=True), start)


def _polars(frame: Any) -> Iterator[RawRow]:
    whole = frame.collect() if hasattr(frame, "collect") else frame
    yield from _numbered(whole.columns, whole.iter_rows(), 0)


def _numbered(
    names: Sequence[str], rows: Iterable[Sequence[object]], before: int
) -> Iterator[RawRow]:
    for number, row in enumerate(rows, before + 1):
        cells: Cells = {name: cell(value) for name, value in zip(names, row, strict=True)}
        yield number, cells


def _check_names(names: Sequence[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(Reason("memory.same_column", name=twice))


def _arrow(table: Any) -> Iterator[RawRow]:
    _check_names(table.schema.names)
    return _arrow_rows(table.to_batches() if hasattr(table, "to_batches") else [table])


def _arrow_rows(batches: Iterable[Any]) -> Iterator[RawRow]:
    from .arrow import rows_of  # noqa: PLC0415 - loads numpy

    return rows_of(batches)


_READERS: Mapping[str, Callable[[Any], Iterator[RawRow]]] = {
    "pandas.DataFrame": _pandas,
    "polars.DataFrame": _polars,
    "polars.LazyFrame": _polars,
    "pyarrow.Table": _arrow,
    "pyarrow.RecordBatch": _arrow,
}


def cell(value: object) -> object:
    """A value as a file would have it: NaN, NaT and NA are absent, arrays are lists."""
    kind = type(value)
    if kind is str or value is None:
        return value
    if kind.__name__ in {"NAType", "NaTType"}:
        return None
    for listing in ("tolist", "to_list"):  # arrays and scalars of numpy; a Series in a cell
        if kind.__module__.startswith(("numpy", "pandas", "polars")) and hasattr(value, listing):
            return cell(getattr(value, listing)())
    if isinstance(value, Mapping):
        return {str(key): cell(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [cell(inner) for inner in value]
    return plain(value)
