"""Excel workbooks (.xlsx), read row by row: the first row with anything in it is the header.

Formulas count by the value that was saved with them; one without feeds nothing. The texts of a
workbook lie in one table in the file, which is in memory while it is read.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import islice, zip_longest
from typing import IO, Any
from xml.parsers import expat

from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError

from .base import BadRow, Format, RawRow, Source, UnreadableCell, plain
from .bounds import check_header
from .textfile import open_bytes

_AT_ONCE = 256  # rows
_ROWS = 1_048_576  # of a sheet; openpyxl counts up to whatever number a row claims to have
SheetRow = tuple[int, list[object]]


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
                    yield BadRow(number, Reason("rows.no_header", cell=f"{letter}{number}"))
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
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # some writers state them wrong
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
        raise source.error(Reason("file.no_workbook", why=why)) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """openpyxl warns of decorations that it does not know; they are no concern of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _sheet(source: Source, book: Any) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if source.part is not None:
        if source.part in sheets:
            return sheets[source.part]
        names = ", ".join(map(repr, sheets))
        raise source.error(Reason("file.no_sheet", part=source.part, names=names))
    filled = _filled_sheets(source, book)
    if len(filled) > 1:
        names = ", ".join(map(repr, filled))
        name = str(source.shown or source.path)
        raise source.error(Reason("file.sheets", names=names, name=name, first=filled[0]))
    if not filled:
        raise source.error(Reason("file.empty_book"))
    return sheets[filled[0]]


def _filled_sheets(source: Source, book: Any) -> list[str]:
    return [sheet.title for sheet in book.worksheets if next(_filled(source, sheet), None)]


def sheets(source: Source) -> list[str]:
    """The names of those that hold anything."""
    with _readable(source), _opened(source) as book:
        return _filled_sheets(source, book)


def _filled(
    source: Source, sheet: Any, formulas: UnsavedFormulas | None = None
) -> Iterator[SheetRow]:
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
            raise source.error(Reason("file.row_below", most=_ROWS))
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
        return UnreadableCell(f"the error {value}")
    if isinstance(value, datetime):
        return _date(cell, value)
    return plain(value)


def _date(cell: Any, value: datetime) -> str:
    """Every date in a workbook has a time; it is shown only where the cell shows it."""
    from openpyxl.styles.numbers import is_datetime  # noqa: PLC0415 - loaded by now

    shown = value.date() if is_datetime(cell.number_format) == "date" else value
    return shown.isoformat()


def _header(source: Source, row: SheetRow | None) -> list[str]:
    if row is None:
        raise source.error(Reason("file.empty_sheet"))
    number, cells = row
    for place, cell in enumerate(cells, 1):
        if isinstance(cell, UnreadableCell):
            why = Reason("file.no_name", n=_letter(place), text=str(cell), remedy=cell.remedy)
            raise source.error(why, row=number)
    names = [str(cell).strip() for cell in cells]
    check_header(source, names, _letter, row=number)
    return names


def _letter(place: int) -> str:
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - loaded by now

    return str(get_column_letter(place))


FORMAT = Format(
    endings=(".xlsx",),
    read=read,
    fixed_columns=True,
    unit="row",
    parts="a sheet",
    tables=sheets,
)


PARTS = 10_000
TEXTS = 1_000_000  # different ones, which lie in one table
PART = 32 * 1024 * 1024  # bytes of a part that is in memory as a whole, such as the styles
_PIECE = 64 * 1024
_XML = (".xml", ".rels")
_TABLE_OF_TEXTS = "sst"
# Those that are read as a whole; sheets are read row by row, others not at all.
_WHOLE = frozenset({"Types", "Relationships", "workbook", "styleSheet", "coreProperties", "theme"})


class _Enough(Exception):  # noqa: N818 - says what is the case
    """No more of the part has to be looked at."""


def check_parts(source: Source, book: zipfile.ZipFile) -> None:
    """DataError where there is too much of something, or a document type is declared."""
    parts = book.infolist()
    if len(parts) > PARTS:
        raise source.error(Reason("file.many_parts", most=PARTS))
    for part in parts:
        if part.filename.casefold().endswith(_XML):
            with book.open(part) as xml:
                _Part(source, part).look(xml)


class _Part:
    """What expat tells of one part."""

    def __init__(self, source: Source, part: zipfile.ZipInfo) -> None:
        self._source, self._part = source, part
        self._root, self._texts = "", 0
        self._parser = expat.ParserCreate()
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._element

    def look(self, xml: IO[bytes]) -> None:
        """To its root, and through all of it where it is the table of texts."""
        try:
            while piece := xml.read(_PIECE):
                self._parser.Parse(piece, False)
            self._parser.Parse(b"", True)
        except _Enough:
            pass
        except expat.ExpatError as error:
            broken = Reason("file.broken_xml", part=self._part.filename, why=str(error))
            raise self._source.error(broken) from None

    def _doctype(self, *_: object) -> None:
        raise self._source.error(Reason("file.document_type", part=self._part.filename))

    def _element(self, name: str, _: object) -> None:
        bare = name.rpartition(":")[2]
        if not self._root:
            self._root = bare
            if bare in _WHOLE and self._part.file_size > PART:
                name, size = self._part.filename, self._part.file_size
                raise self._source.error(Reason("file.large_part", part=name, size=size, most=PART))
            if bare != _TABLE_OF_TEXTS:
                raise _Enough
        elif bare == "si":
            self._texts += 1
            if self._texts > TEXTS:
                raise self._source.error(Reason("file.many_texts", most=TEXTS))


CellPlace = tuple[int, int]  # row and column, the first is 1
_END = (2**63, 0)


# Stands in the cell of such a formula.
UNSAVED_FORMULA = UnreadableCell("a formula without a saved value", Reason("cell.save_workbook"))


class UnsavedFormulas:
    """Asked cell by cell in the order of the sheet, which is read alongside.

    Nothing is opened before the first question, and one row is in memory at a time. `part` is the
    sheet's file in the workbook.
    """

    def __init__(self, source: Source, part: str) -> None:
        self._places = _places(source, part)
        self._next: CellPlace = (0, 0)

    def holds(self, place: CellPlace) -> bool:
        """Whether there is one; `place` is never before one that was asked for earlier."""
        while self._next < place:
            self._next = next(self._places, _END)
        return self._next == place

    def close(self) -> None:
        self._places.close()


def _places(source: Source, part: str) -> Generator[CellPlace]:
    from openpyxl.utils.cell import coordinate_to_tuple  # noqa: PLC0415 - loaded by now
    from openpyxl.xml.constants import SHEET_MAIN_NS  # noqa: PLC0415
    from openpyxl.xml.functions import iterparse  # noqa: PLC0415

    row_tag, cell_tag, formula_tag, value_tag = (
        f"{{{SHEET_MAIN_NS}}}{name}" for name in ("row", "c", "f", "v")
    )
    row = column = 0
    with open_bytes(source) as file, zipfile.ZipFile(file) as book, book.open(part) as sheet:
        for event, element in iterparse(sheet, events=("start", "end")):
            if element.tag == row_tag:
                if event == "end":
                    element.clear()
                    continue
                row, column = int(float(element.get("r", row + 1))), 0
            elif element.tag == cell_tag and event == "end":
                at = element.get("r")  # some writers leave it out
                column = coordinate_to_tuple(at)[1] if at else column + 1
                # An empty text that was calculated is saved as one: t="str".
                unsaved = element.get("t", "n") == "n" and not element.findtext(value_tag)
                if unsaved and element.find(formula_tag) is not None:
                    yield row, column
