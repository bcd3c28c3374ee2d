"""Formulas in a workbook that no program has calculated yet, so that no value lies beside them.

Libraries write any text that begins with `=` in that way, and a reader of values sees nothing.
"""

from __future__ import annotations

import zipfile
from collections.abc import Generator

from .base import NoText, Source
from .textfile import open_bytes

Place = tuple[int, int]  # row and column, the first is 1
_END = (2**63, 0)


# Stands in the cell of such a formula.
UNSAVED_FORMULA = NoText(
    "a formula without a saved value", "open and save the workbook in a spreadsheet program"
)


class UnsavedFormulas:
    """Asked cell by cell in the order of the sheet, which is read alongside.

    Nothing is opened before the first question, and one row is in memory at a time. `part` is the
    sheet's file in the workbook.
    """

    def __init__(self, source: Source, part: str) -> None:
        self._places = _places(source, part)
        self._next: Place = (0, 0)

    def holds(self, place: Place) -> bool:
        """Whether there is one; `place` is never before one that was asked for earlier."""
        while self._next < place:
            self._next = next(self._places, _END)
        return self._next == place

    def close(self) -> None:
        self._places.close()


def _places(source: Source, part: str) -> Generator[Place]:
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
