"""How large the parts of data may be, and how that is told: a small file can describe a huge table.

Whoever reads a format looks at these before anything is built from what the file says of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import IO, AnyStr

from adjudge.errors import DataError

from .base import Source

COLUMNS = 16_384  # of a table, or fields of a row; as many as a spreadsheet has
NAME = 1_000  # characters of a column's name
ROW = 64 * 1024 * 1024  # bytes of one row, or characters of one line or JSON value
_LISTED = 30  # names in a message
_COMPARED, _LONGEST = 1_000, 100  # names, and characters of one, that are looked through for a slip

ROW_TOO_LARGE = f"is larger than {ROW:,} bytes, the most for one row; split it, or drop columns"
TOO_MANY_FIELDS = f"has more than {COLUMNS:,} fields, the most for one row; drop some, or nest them"


def check_header(
    source: Source, where: str, names: Sequence[str], column: Callable[[int], str] = str
) -> None:
    """DataError where the columns are too many, or one has no name, too long a one or another's.

    `where` is the place of the header, such as ", line 1"; `column` says what a column is called
    by its number.
    """
    if len(names) > COLUMNS:
        raise DataError(
            f"{source}{where}: there are {len(names):,} columns, and {COLUMNS:,} are the most;"
            " drop those that are not needed, or write JSON Lines with nested objects"
        )
    seen: set[str] = set()
    for number, name in enumerate(names, 1):
        if not name:
            raise DataError(
                f"{source}{where}: column {column(number)} has no name; "
                "name it or drop it (pandas writes such a column unless index=False)"
            )
        if len(name) > NAME:
            raise DataError(
                f"{source}{where}: the name of column {column(number)} has {len(name):,}"
                f" characters, and {NAME:,} are the most; is the first row a header?"
            )
        if name in seen:
            raise DataError(
                f"{source}{where}: two columns are named {name!r}; give each its own name"
            )
        seen.add(name)


def lines_of(source: Source, file: IO[AnyStr]) -> Iterator[AnyStr]:
    """The lines with their ends; DataError for one that is longer than a row may be."""
    number = 1
    while line := file.readline(ROW + 1):
        if len(line) > ROW:
            raise DataError(f"{source}, line {number}: {ROW_TOO_LARGE}")
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
    compared = [each for each in islice(known, _COMPARED) if len(each) <= _LONGEST]
    return get_close_matches(name, compared, n=1)
