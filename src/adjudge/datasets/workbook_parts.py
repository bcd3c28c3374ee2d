"""The parts of a workbook, looked at before anything is built from them.

A workbook is a ZIP archive of XML files, some of which are in memory as a whole while it is read: a
few kilobytes can hold millions of texts, or entities that grow without an end.
"""

from __future__ import annotations

import zipfile
from typing import IO
from xml.parsers import expat

from adjudge.errors import DataError

from .base import Source

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
        raise DataError(
            f"{source}: the workbook has more than {PARTS:,} parts; save it anew, or as CSV"
        )
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
            raise DataError(
                f"{self._source}: {self._part.filename} in the workbook is broken XML ({error});"
                " save it again as .xlsx"
            ) from None

    def _doctype(self, *_: object) -> None:
        raise DataError(
            f"{self._source}: {self._part.filename} in the workbook declares a document type, which"
            " no spreadsheet program writes; save it again as .xlsx"
        )

    def _element(self, name: str, _: object) -> None:
        bare = name.rpartition(":")[2]
        if not self._root:
            self._root = bare
            if bare in _WHOLE and self._part.file_size > PART:
                raise DataError(
                    f"{self._source}: {self._part.filename} in the workbook has"
                    f" {self._part.file_size:,} bytes, and {PART:,} are the most; save it as CSV"
                )
            if bare != _TABLE_OF_TEXTS:
                raise _Enough
        elif bare == "si":
            self._texts += 1
            if self._texts > TEXTS:
                raise DataError(
                    f"{self._source}: the workbook holds more than {TEXTS:,} different texts;"
                    " save it as CSV, or in parts"
                )
