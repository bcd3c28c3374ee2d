"""Verdict rows as one JSON list, a row a line."""

from __future__ import annotations

from typing import BinaryIO

import orjson

from .rows import Rows


def write(rows: Rows, out: BinaryIO) -> None:
    before = b"[\n"
    for row in rows():
        out.write(before + orjson.dumps(row))
        before = b",\n"
    out.write(b"\n]\n" if before == b",\n" else b"[]\n")
