"""CSV after RFC 4180: a header line, then rows whose quoted cells may span lines.

The delimiter is comma, semicolon or tab, whichever the header line holds most; in `.tsv` a tab.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator, Sequence
from functools import partial
from io import TextIOWrapper

from adjudge.core.reason import Reason

from . import bounds
from .base import BadRow, Format, RawRow, Source
from .textfile import open_utf8

_DELIMITERS = ",;\t"
# Characters in one cell. High enough for whole books, and still an end to a quote left open.
_LONGEST_CELL = 16 * 1024 * 1024
_QUOTED = re.compile(r'"[^"]*"')
# How `surrogateescape` writes a byte that is not UTF-8.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def read(source: Source, delimiter: str | None = None) -> Iterator[RawRow]:
    """The rows of the table as texts by column; a row's line is the one that it begins on."""
    csv.field_size_limit(_LONGEST_CELL)
    with (
        open_utf8(source) as opened,
        TextIOWrapper(opened.file, encoding="utf-8", errors="surrogateescape", newline="") as text,
    ):
        lines = _Lines(bounds.lines_of(source, text), opened.remedy)
        first = next(line for line in lines if line.strip())
        lines.begin()
        records = _records(
            lines, first, delimiter or max(_DELIMITERS, key=_QUOTED.sub("", first).count)
        )
        header = _header(source, next(records))
        for line, record in records:
            if isinstance(record, Reason):
                yield BadRow(line, record)
            elif len(record) != len(header):
                yield BadRow(line, _wrong_width(len(record), len(header)))
            else:
                yield line, dict(zip(header, record, strict=True))


class _Lines:
    """Physical lines, with what the csv module does not tell about the record that they make up.

    `first` is the line on which the record begins, `opened` the one with the quote that is still
    open (0 when none is), `trouble` what is wrong with its characters, `remedy` what to do about
    bytes that are not UTF-8.
    """

    def __init__(self, lines: Iterator[str], remedy: Reason) -> None:
        self._lines, self._remedy = lines, remedy
        self._number = 0
        self.begin()

    def begin(self) -> None:
        """A new record begins with the next line."""
        self.first = self.opened = 0
        self.trouble: Reason | None = None

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._number += 1
        return self.look(line)

    def look(self, line: str) -> str:
        """Takes the line last read into the record."""
        self.first = self.first or self._number
        # A doubled quote is a character; any other opens or closes a cell.
        if quotes := line.replace('""', "").count('"'):
            still_open = (quotes % 2 == 1) != bool(self.opened)
            self.opened = self._number if still_open else 0
        self.trouble = self.trouble or _trouble(line, self._number, self._remedy)
        return line


def _trouble(line: str, number: int, remedy: Reason) -> Reason | None:
    if "\0" in line:
        return Reason("rows.nul", line=number)
    if not line.isascii() and (match := _NOT_UTF8.search(line)):
        position = len(line[: match.start()].encode("utf-8", "surrogateescape")) + 1
        byte = f"0x{ord(match[0]) - 0xDC00:02X}"
        where = {"position": position, "line": number}
        return Reason("rows.wrong_byte_in_line", byte=byte, remedy=remedy, **where)
    return None


def _records(lines: _Lines, first: str, delimiter: str) -> Iterator[tuple[int, list[str] | Reason]]:
    """Each record with the line that it begins on; a text says what is wrong with it."""
    again = (lines.look(line) for line in (first,))
    reader = csv.reader(itertools.chain(again, lines), delimiter=delimiter, strict=True)
    while True:
        lines.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield lines.first, lines.trouble or _broken(error, lines.opened)
            continue
        if cells:
            yield lines.first, lines.trouble or cells


def _broken(error: csv.Error, opened: int) -> Reason:
    if opened:
        return Reason("rows.quote", line=opened)
    return Reason("rows.quoting", why=str(error))


def _wrong_width(seen: int, expected: int) -> Reason:
    if seen == 1:
        return Reason("rows.one_cell", expected=expected)
    return Reason("rows.cells", seen=seen, expected=expected)


def _header(source: Source, record: tuple[int, Sequence[str] | Reason]) -> list[str]:
    line, cells = record
    if isinstance(cells, Reason):
        raise source.error(Reason("file.header_broken", why=cells), line=line)
    names = [cell.strip() for cell in cells]
    bounds.check_header(source, names, line=line)
    return names


FORMAT = Format(endings=(".csv",), read=read, fixed_columns=True, packable=True)
TABS = Format(
    endings=(".tsv",), read=partial(read, delimiter="\t"), fixed_columns=True, packable=True
)
