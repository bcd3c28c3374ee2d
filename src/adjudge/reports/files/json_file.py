"""Verdict rows as JSON: one list with a row per line, or JSON Lines."""

from __future__ import annotations

from typing import BinaryIO

import orjson

from .rows import Rows


def write_list(rows: Rows, out: BinaryIO) -> None:
    before = b"[\n"
    for row in rows():
        out.write(before + orjson.dumps(row))
        before = b",\n"
    out.write(b"\n]\n" if before == b",\n" else b"[]\n")


def write_lines(rows: Rows, out: BinaryIO) -> None:
    out.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows())
