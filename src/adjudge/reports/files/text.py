"""Verdict rows as JSON, JSON Lines and CSV.

CSV is that of RFC 4180, in UTF-8 with a byte-order mark: without
the mark, spreadsheets show Korean or Vietnamese as meaningless characters. Texts come from models
and from outside, so none is left that a spreadsheet would run as a formula.
"""

from __future__ import annotations

import csv
import re
from io import TextIOWrapper
from typing import BinaryIO

import orjson

from .rows import CompactRow, Rows, flat, in_order

# Spreadsheets pass over spaces, quotes and invisible characters before a formula. Apostrophes that
# were there before count too: taking one off again then always gives the text back.
_FORMULA = re.compile(r"""'*[\t\r\n]|[\s"'\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠]""")


def write_csv(rows: Rows, out: BinaryIO) -> None:
    """Walks the rows twice: for the columns that occur, then to write them."""
    columns = columns_of(rows)
    text = TextIOWrapper(out, encoding="utf-8-sig", newline="")
    table = csv.writer(text)
    table.writerow(columns)
    for row in rows():
        cells = flat(row)
        table.writerow([guarded(cells.get(column)) for column in columns])
    text.detach()  # flushes, and leaves closing to the caller


def columns_of(rows: Rows) -> list[str]:
    """The flat columns that occur, in the order of a row; compact ones as they come."""
    compact = isinstance(next(rows(), None), CompactRow)
    seen = dict.fromkeys(name for row in rows() for name in flat(row))
    return list(seen) if compact else in_order(seen)


def guarded(value: object) -> object:
    """Texts with an apostrophe before what looks like a formula; true and false as in JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}" if isinstance(value, str) and is_formula(value) else value


def is_formula(text: str) -> bool:
    """Whether a spreadsheet might run the text."""
    return _FORMULA.match(text) is not None


def write_list(rows: Rows, out: BinaryIO) -> None:
    """One JSON list with a row per line."""
    before = b"[\n"
    for row in rows():
        out.write(before + orjson.dumps(row))
        before = b",\n"
    out.write(b"\n]\n" if before == b",\n" else b"[]\n")


def write_lines(rows: Rows, out: BinaryIO) -> None:
    out.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows())
