"""What every data format offers to the rest of the program."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path

from adjudge.core.reason import Reason
from adjudge.errors import DataError

ENCODING = "encoding="  # begins a `#part` that says what a text file is written in


@dataclass(frozen=True, slots=True)
class Source:
    """One file or folder of rows.

    `part` picks one table where there are several: a sheet, a split, a key; or it says what a text
    is written in, `encoding=cp949`. `shown` is its name in messages where that is not the path.
    """

    path: Path
    part: str | None = None
    shown: str = ""

    def __str__(self) -> str:
        name = self.shown or str(self.path)
        return name if self.part is None else f"{name}#{self.part}"

    @property
    def table(self) -> str | None:
        return None if self.encoding else self.part

    @property
    def encoding(self) -> str | None:
        """The encoding that somebody has named."""
        if self.part is None or not self.part.startswith(ENCODING):
            return None
        return self.part.removeprefix(ENCODING)

    @property
    def name(self) -> str:
        """The last part of the path, for the places of rows."""
        return self.shown or self.path.name

    def error(self, why: Reason, *, line: int | None = None, row: int | None = None) -> DataError:
        """What is wrong with it, and on which line or in which row."""
        if row is not None:
            return DataError(Reason("place.file_row", file=str(self), row=row, why=why))
        return DataError(why.in_file(self, line))


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used: its line (the first is 1), and why with what to do about it."""

    line: int
    why: Reason


_WRITE_TEXT = Reason("cell.write_text")


class UnreadableCell(str):
    """Stands in a cell for what cannot be read as text, and says what that is.

    It keeps rows apart and goes along with them, but feeds no input. `remedy` is what to do where
    it would have to.
    """

    __slots__ = ("remedy",)
    remedy: Reason

    def __new__(cls, text: str, remedy: Reason = _WRITE_TEXT) -> UnreadableCell:
        made = super().__new__(cls, text)
        made.remedy = remedy
        return made


class CellError(ValueError):
    """A row cannot be used, mostly since a cell that feeds an input holds nothing readable; the
    message is the row's `why`."""


Cells = dict[str, object]
RawRow = tuple[int, Cells] | BadRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A way to write rows to a file.

    `read` yields every row with its line, lazily; a broken row is a value, so that the caller
    decides whether to continue. A file that is wrong as a whole is a DataError. `fixed_columns`
    says that all rows have the columns of the first, `unit` what the lines are called, `packable`
    that gzip of it can be read, `parts` what a `#part` of a file is, "" where there are none;
    `tables` names those that hold rows.
    """

    endings: tuple[str, ...]
    read: Callable[[Source], Iterator[RawRow]]
    fixed_columns: bool
    unit: str = "line"
    packable: bool = False
    parts: str = ""
    tables: Callable[[Source], list[str]] | None = None


_AS_THEY_ARE = frozenset({str, bool, type(None)})
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1  # whole numbers beyond have no common form in JSON


def plain(value: object) -> object:
    """The value as JSON has it.

    Dates and times are ISO 8601, decimals and all else that JSON lacks are texts without loss, a
    number that is none (NaN) is null. Bytes are text where they are UTF-8, else `UnreadableCell`.
    """
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, bytes):
        return _text(value)
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _number(value: float) -> float | str | None:
    if isinstance(value, int):
        return value if _SMALLEST <= value <= _LARGEST else str(value)
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def _text(value: bytes) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" not in text:
        return text
    return UnreadableCell(
        f"binary, {len(value)} bytes, SHA-256 {hashlib.sha256(value).hexdigest()}"
    )
