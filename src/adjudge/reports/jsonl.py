"""Verdict rows as JSON Lines: one object a line."""

from __future__ import annotations

from typing import BinaryIO

import orjson

from .rows import Rows


def write(rows: Rows, out: BinaryIO) -> None:
    out.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows())
