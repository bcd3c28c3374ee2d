"""Verdict rows as a workbook (.xlsx): a sheet of rows, and one of means where they are known.

Texts come from models and from outside: they are written as texts, never as formulas, and what a
workbook cannot hold is written out or cut, which is said in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from ..blocks import Table
from .rows import CompactRow, Row, Rows, flat
from .text import columns_of, is_formula

if TYPE_CHECKING:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

_MOST_ROWS = 1_048_575  # below the header
_MOST_TEXT = 32_000  # characters of a cell
# Signs that XML does not have.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# The worst fifth of the scale first.
_COLOURS = ("F8CBAD", "FBE0C8", "FFF2CC", "E2EFDA", "C6E0B4")
_UNSCORED = "D9D9D9"
_WIDE, _NARROW = 48, 14  # characters across
_WORDY = re.compile(r"data\.|feedback\.|reply$|.*explanation$|.*\.why$|notes$")


def write(rows: Rows, out: BinaryIO, means: Table | None = None) -> None:
    """Walks the rows twice: for the columns that occur, then to write them."""
    from openpyxl import Workbook  # noqa: PLC0415 - slow to load

    book = Workbook(write_only=True)
    _write_rows(book.create_sheet("rows"), rows)
    if means is not None:
        _write_table(book.create_sheet("means"), means)
    book.save(out)


def _write_rows(sheet: WriteOnlyWorksheet, rows: Rows) -> None:
    columns = columns_of(rows)
    first = next(iter(rows()), {})
    wordy = set(columns) - set(_scores(first)) if isinstance(first, CompactRow) else set()
    _prepare(sheet, [_WIDE if c in wordy or _WORDY.match(c) else _NARROW for c in columns])
    sheet.append([_head(sheet, name) for name in columns])
    for number, row in enumerate(rows(), 1):
        if number > _MOST_ROWS:
            raise UsageError(Reason("output.many_rows", most=_MOST_ROWS))
        cells, scores = flat(row), _scores(row)
        sheet.append([_cell(sheet, cells.get(name), _colour(scores, name)) for name in columns])


def _write_table(sheet: WriteOnlyWorksheet, table: Table) -> None:
    _prepare(sheet, [max(_NARROW, len(str(name)) + 2) for name in table.head])
    sheet.append([_head(sheet, str(name)) for name in table.head])
    for row in table.rows:
        sheet.append([_cell(sheet, _number(str(cell))) for cell in row])


def _prepare(sheet: WriteOnlyWorksheet, widths: Sequence[int]) -> None:
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - loaded by now

    sheet.freeze_panes = "B2"  # the header, and what names a row, stay in sight
    for place, width in enumerate(widths, 1):
        sheet.column_dimensions[get_column_letter(place)].width = width


def _scores(row: Row) -> Mapping[str, float | None]:
    """By column, where a score lies on its scale, 0 to 1; None where there is no score."""
    if isinstance(row, CompactRow):
        return row.units
    return {
        f"scores.{name}.value": None if score.get("value") is None else score.get("unit")
        for name, score in (row.get("scores") or {}).items()
    }


def _colour(scores: Mapping[str, float | None], column: str) -> str:
    if column not in scores:
        return ""
    unit = scores[column]
    if unit is None:
        return _UNSCORED
    return _COLOURS[min(int(unit * len(_COLOURS)), len(_COLOURS) - 1)]


def _head(sheet: WriteOnlyWorksheet, name: str) -> WriteOnlyCell:
    from openpyxl.styles import Font  # noqa: PLC0415 - loaded by now

    cell = _cell(sheet, name)
    cell.font = Font(bold=True)
    return cell


def _cell(sheet: WriteOnlyWorksheet, value: object, colour: str = "") -> WriteOnlyCell:
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415 - loaded by now
    from openpyxl.styles import Alignment, PatternFill  # noqa: PLC0415

    if isinstance(value, str):
        cell = WriteOnlyCell(sheet, value="")
        cell._value, cell.data_type = _text(value), "s"  # never "f", whatever it begins with
        cell.quotePrefix = is_formula(value)  # stays a text when somebody edits it
        cell.alignment = Alignment(wrap_text=True, vertical="top")
    else:
        cell = WriteOnlyCell(sheet, value=value)
        cell.alignment = Alignment(vertical="top")
    if colour:
        cell.fill = PatternFill("solid", fgColor=colour)
    return cell


def _text(value: str) -> str:
    text = _NO_XML.sub(lambda match: match[0].encode("unicode_escape").decode(), value)
    if len(text) <= _MOST_TEXT:
        return text
    return f"{text[:_MOST_TEXT]}… [{len(text) - _MOST_TEXT:,} more characters]"


def _number(text: str) -> object:
    """A figure of a table as a number."""
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text
