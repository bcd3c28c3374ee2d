"""What every data format offers to the rest of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used: its line (the first is 1), and why with what to do about it."""

    line: int
    why: str


Cells = dict[str, object]
RawRow = tuple[int, Cells] | BadRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A way to write rows to a file.

    `read` yields every row with its line, lazily; a broken row is a value, so that the caller
    decides whether to go on. A file that is wrong as a whole is a DataError. `fixed_columns` says
    that all rows have the columns of the first.
    """

    endings: tuple[str, ...]
    read: Callable[[Path], Iterator[RawRow]]
    fixed_columns: bool
