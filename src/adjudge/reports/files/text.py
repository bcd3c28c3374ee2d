"""Verdict rows as JSON, JSON Lines and CSV.

CSV is that of RFC 4180, in UTF-8 with a byte-order mark: without
the mark, spreadsheets read Korean or Vietnamese as gibberish. Texts come from models and from
outside, so none is left that a spreadsheet would run as a formula.
"""

from __future__ import annotations

import csv
import re
from io import TextIOWrapper
from typing import BinaryIO

import orjson

from .rows import Rows, flat, in_order

# Spreadsheets pass over spaces, quotes and invisible characters before a formula. Apostrophes that
# were there before count too: taking one off again then always gives the text back.
_FORMULA = re.compile(r"""'*[\t\r\n]|[\s"'\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠]""")


def write_csv(rows: Rows, out: BinaryIO) -> None:
    """Walks the rows twice: for the columns that occur, then to write them."""
    columns = _columns(rows)
    text = TextIOWrapper(out, encoding="utf-8-sig", newline="")
    table = csv.writer(text)
    table.writerow(columns)
    for row in rows():
        cells = flat(row)
        table.writerow([_cell(cells.get(column)) for column in columns])
    text.detach()  # flushes, and leaves closing to the caller


def _columns(rows: Rows) -> list[str]:
    seen: dict[str, None] = {}
    for row in rows():
        seen.update(dict.fromkeys(flat(row)))
    return in_order(seen)


def _cell(value: object) -> object:
    """Texts with an apostrophe before what looks like a formula; true and false as in JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return value


def write_list(rows: Rows, out: BinaryIO) -> None:
    """One JSON list with a row per line."""
    before = b"[\n"
    for row in rows():
        out.write(before + orjson.dumps(row))
        before = b",\n"
    out.write(b"\n]\n" if before == b",\n" else b"[]\n")


def write_lines(rows: Rows, out: BinaryIO) -> None:
    out.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows())
