"""How large the parts of data may be: a small file can describe a huge table.

Readers of a format look at these before anything is built from what the file says of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import IO, AnyStr

from adjudge.core.reason import Reason

from .base import Source

COLUMNS = 16_384  # of a table, or fields of a row; as many as a spreadsheet has
NAME = 1_000  # characters of a column's name
ROW = 64 * 1024 * 1024  # bytes of one row, or characters of one line or JSON value
_LISTED = 30  # names in a message
_COMPARED, _LONGEST = 1_000, 100  # names, and characters of one, that are looked through for a slip

ROW_TOO_LARGE = Reason("rows.too_large", most=ROW)
TOO_MANY_FIELDS = Reason("rows.many_fields", most=COLUMNS)


def check_header(
    source: Source, names: Sequence[str], column: Callable[[int], str] = str, **where: int
) -> None:
    """DataError where the columns are too many, or one has no name, too long a one or another's.

    `where` is the `line` or `row` of the header, if it has one; `column` says what a column is
    called by its number.
    """
    if len(names) > COLUMNS:
        raise source.error(Reason("file.many_columns", count=len(names), most=COLUMNS), **where)
    seen: set[str] = set()
    for number, name in enumerate(names, 1):
        if not name:
            raise source.error(Reason("file.no_column_name", n=column(number)), **where)
        if len(name) > NAME:
            sizes = {"length": len(name), "most": NAME}
            raise source.error(Reason("file.long_name", n=column(number), **sizes), **where)
        if name in seen:
            raise source.error(Reason("file.two_columns", name=name), **where)
        seen.add(name)


def lines_of(source: Source, file: IO[AnyStr]) -> Iterator[AnyStr]:
    """The lines with their ends; DataError for one that is longer than a row may be."""
    number = 1
    while line := file.readline(ROW + 1):
        if len(line) > ROW:
            raise source.error(ROW_TOO_LARGE, line=number)
        yield line
        number += 1


def listed(names: Collection[str]) -> Reason | tuple[str, ...]:
    """The names in quotes, for a message; the first of them where there are many."""
    shown = tuple(map(repr, islice(names, _LISTED)))
    return Reason("names", names=shown, n=len(names) - _LISTED) if len(names) > _LISTED else shown


def close_name(name: str, known: Iterable[str]) -> list[str]:
    """The likeliest of the known names where this one may be a slip; none where that takes long."""
    if len(name) > _LONGEST:
        return []
    compared = [other for other in islice(known, _COMPARED) if len(other) <= _LONGEST]
    return get_close_matches(name, compared, n=1)
