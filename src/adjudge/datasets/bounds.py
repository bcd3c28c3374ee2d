"""How large the parts of data may be, and how that is told: a small file can describe a huge table.

Whoever reads a format looks at these before anything is built from what the file says of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import IO, AnyStr

from adjudge.core.reason import Reason
from adjudge.errors import DataError

from .base import Source

COLUMNS = 16_384  # of a table, or fields of a row; as many as a spreadsheet has
NAME = 1_000  # characters of a column's name
ROW = 64 * 1024 * 1024  # bytes of one row, or characters of one line or JSON value
_LISTED = 30  # names in a message
_COMPARED, _LONGEST = 1_000, 100  # names, and characters of one, that are looked through for a slip

ROW_TOO_LARGE = Reason("rows.too_large", most=ROW)
TOO_MANY_FIELDS = Reason("rows.many_fields", most=COLUMNS)


def check_header(
    source: Source,
    where: Mapping[str, int],
    names: Sequence[str],
    column: Callable[[int], str] = str,
) -> None:
    """DataError where the columns are too many, or one has no name, too long a one or another's.

    `where` is the `line` or `row` of the header, empty where it has none; `column` says what a
    column is called by its number.
    """
    if len(names) > COLUMNS:
        raise _at(source, where, Reason("file.many_columns", count=len(names), most=COLUMNS))
    seen: set[str] = set()
    for number, name in enumerate(names, 1):
        if not name:
            raise _at(source, where, Reason("file.no_column_name", n=column(number)))
        if len(name) > NAME:
            sizes = {"length": len(name), "most": NAME}
            raise _at(source, where, Reason("file.long_name", n=column(number), **sizes))
        if name in seen:
            raise _at(source, where, Reason("file.two_columns", name=name))
        seen.add(name)


def _at(source: Source, where: Mapping[str, int], why: Reason) -> DataError:
    file = str(source)
    if "line" in where:
        return DataError(Reason("place.file_line", file=file, line=where["line"], why=why))
    if "row" in where:
        return DataError(Reason("place.file_row", file=file, row=where["row"], why=why))
    return DataError(Reason("place.file", file=file, why=why))


def lines_of(source: Source, file: IO[AnyStr]) -> Iterator[AnyStr]:
    """The lines with their ends; DataError for one that is longer than a row may be."""
    number = 1
    while line := file.readline(ROW + 1):
        if len(line) > ROW:
            raise _at(source, {"line": number}, ROW_TOO_LARGE)
        yield line
        number += 1


def listed(names: Iterable[str], total: int) -> str:
    """The names in quotes, the first of them where there are many; "none" where there are none."""
    shown = ", ".join(map(repr, islice(names, _LISTED))) or "none"
    return shown if total <= _LISTED else f"{shown} and {total - _LISTED:,} more"


def close_name(name: str, known: Iterable[str]) -> list[str]:
    """The likeliest of the known names where this one may be a slip; none where that takes long."""
    if len(name) > _LONGEST:
        return []
    compared = [other for other in islice(known, _COMPARED) if len(other) <= _LONGEST]
    return get_close_matches(name, compared, n=1)
