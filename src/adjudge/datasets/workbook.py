"""Excel workbooks (.xlsx), read row by row: the first row with anything in it is the header.

Formulas count by the value that was saved with them; one without feeds nothing. The texts of a
workbook lie in one table in the file, which is in memory while it is read.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import islice, zip_longest
from typing import Any

from adjudge.errors import AdjudgeError, DataError

from .base import BadRow, Format, NoText, RawRow, Source
from .bounds import check_header
from .plain import plain
from .textfile import open_bytes
from .unsaved_formulas import UNSAVED_FORMULA, UnsavedFormulas
from .workbook_parts import check_parts

_AT_ONCE = 256  # rows
_ROWS = 1_048_576  # of a sheet; openpyxl counts up to whatever number a row claims to have
Row = tuple[int, list[object]]


def read(source: Source) -> Iterator[RawRow]:
    """The rows of a sheet, by their numbers there; those without any content are passed over."""
    with _readable(source), _opened(source) as book:
        sheet = _sheet(source, book)
        part = sheet._worksheet_path  # no public name says it
        with closing(UnsavedFormulas(source, part)) as formulas:
            rows = _filled(source, sheet, formulas)
            header = _header(source, next(rows, None))
            for number, cells in rows:
                if len(cells) > len(header):
                    letter = _letter(len(cells))
                    yield BadRow(number, f"cell {letter}{number} has no header; name the column")
                else:
                    yield number, dict(zip_longest(header, cells, fillvalue=""))


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    from openpyxl import load_workbook  # noqa: PLC0415 - slow to load

    with open_bytes(source) as file:
        with zipfile.ZipFile(file) as parts:
            check_parts(source, parts)
        with _quiet():
            book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            yield book
        finally:
            book.close()


@contextmanager
def _readable(source: Source) -> Iterator[None]:
    """A file that is broken, wherever that shows, is a DataError."""
    try:
        yield
    except (AdjudgeError, MemoryError):
        raise
    except Exception as error:  # openpyxl takes the file's word, and fails in any way
        why = str(error).partition("\n")[0] or type(error).__name__
        raise DataError(
            f"{source}: is no workbook that can be read ({why}); save it as .xlsx, without a"
            " password"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """openpyxl warns of decorations that it does not know; they are no concern of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _sheet(source: Source, book: Any) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    for sheet in sheets.values():
        sheet.reset_dimensions()  # some writers state them wrong
    if source.part is not None:
        if source.part in sheets:
            return sheets[source.part]
        names = ", ".join(map(repr, sheets))
        raise DataError(f"{source}: there is no sheet {source.part!r}; the sheets are {names}")
    filled = [name for name, sheet in sheets.items() if next(_filled(source, sheet), None)]
    if len(filled) > 1:
        names = ", ".join(map(repr, filled))
        name = source.shown or source.path
        raise DataError(f"{source}: the sheets are {names}; choose one: '{name}#{filled[0]}'")
    if not filled:
        raise DataError(f"{source}: the workbook is empty; it needs at least one row")
    return sheets[filled[0]]


def _filled(source: Source, sheet: Any, formulas: UnsavedFormulas | None = None) -> Iterator[Row]:
    """Rows with content and their numbers; empty cells are "", those at the end left out.

    Without `formulas`, those that have no saved value count as empty.
    """
    rows = enumerate(sheet.iter_rows(), 1)
    while True:
        with _quiet():
            chunk = list(islice(rows, _AT_ONCE))
        if not chunk:
            return
        if chunk[-1][0] > _ROWS:
            raise DataError(
                f"{source}: the sheet has a row below {_ROWS:,}, where sheets end; save it again"
            )
        for number, row in chunk:
            cells = [
                UNSAVED_FORMULA if formulas and _unsaved(cell, formulas) else _value(cell)
                for cell in row
            ]
            while cells and cells[-1] == "":
                cells.pop()
            if cells:
                yield number, cells


def _unsaved(cell: Any, formulas: UnsavedFormulas) -> bool:
    # A cell that the file does not even mention has no row.
    at = getattr(cell, "row", None)
    return cell.value is None and at is not None and formulas.holds((at, cell.column))


def _value(cell: Any) -> object:
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "e":
        return NoText(f"the error {value}")
    if isinstance(value, datetime):
        return _date(cell, value)
    return plain(value)


def _date(cell: Any, value: datetime) -> str:
    """Every date in a workbook has a time; it is shown only where the cell shows it."""
    from openpyxl.styles.numbers import is_datetime  # noqa: PLC0415 - loaded by now

    shown = value.date() if is_datetime(cell.number_format) == "date" else value
    return shown.isoformat()


def _header(source: Source, row: Row | None) -> list[str]:
    if row is None:
        raise DataError(f"{source}: the sheet is empty; it needs at least one row")
    number, cells = row
    for place, cell in enumerate(cells, 1):
        if isinstance(cell, NoText):
            raise DataError(
                f"{source}, row {number}: the name of column {_letter(place)} is {cell}; "
                f"{cell.remedy}"
            )
    names = [str(cell).strip() for cell in cells]
    check_header(source, f", row {number}", names, _letter)
    return names


def _letter(place: int) -> str:
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - loaded by now

    return str(get_column_letter(place))


FORMAT = Format(endings=(".xlsx",), read=read, fixed_columns=True, unit="row", parts="a sheet")
