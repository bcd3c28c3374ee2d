"""What every data format offers to the rest of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """One file or folder of rows.

    `part` picks one table where there are several: a sheet, a split, a key. `shown` is its name in
    messages where that is not the path.
    """

    path: Path
    part: str | None = None
    shown: str = ""

    def __str__(self) -> str:
        name = self.shown or str(self.path)
        return name if self.part is None else f"{name}#{self.part}"

    @property
    def name(self) -> str:
        """The last part of the path, for the places of rows."""
        return self.shown or self.path.name


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used: its line (the first is 1), and why with what to do about it."""

    line: int
    why: str


class NoText(str):
    """Stands in a cell for what cannot be read as text, and says what that is.

    It keeps rows apart and goes along with them, but feeds no input. `remedy` is what to do where
    it would have to.
    """

    __slots__ = ("remedy",)
    remedy: str

    def __new__(cls, text: str, remedy: str = "write text") -> NoText:
        made = super().__new__(cls, text)
        made.remedy = remedy
        return made


class NotText(ValueError):  # noqa: N818 - says what is the case
    """A cell that feeds an input holds nothing readable; the message is the row's `why`."""


Cells = dict[str, object]
RawRow = tuple[int, Cells] | BadRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A way to write rows to a file.

    `read` yields every row with its line, lazily; a broken row is a value, so that the caller
    decides whether to go on. A file that is wrong as a whole is a DataError. `fixed_columns` says
    that all rows have the columns of the first, `unit` what the lines are called, `packable` that
    gzip of it can be read, `parts` what a `#part` of a file is, "" where there are none.
    """

    endings: tuple[str, ...]
    read: Callable[[Source], Iterator[RawRow]]
    fixed_columns: bool
    unit: str = "line"
    packable: bool = False
    parts: str = ""
