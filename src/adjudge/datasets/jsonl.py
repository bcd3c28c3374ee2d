"""JSON Lines: one object a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson

from .base import BadRow, Format, RawRow
from .textfile import SAVE_AS_UTF8, open_utf8

_KINDS = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def read(path: Path) -> Iterator[RawRow]:
    """The objects of the file; blank lines count as lines and are passed over."""
    with open_utf8(path) as file:
        for number, line in enumerate(file, 1):
            if not line.isspace():
                yield _row(number, line)


def _row(number: int, line: bytes) -> RawRow:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return BadRow(number, _why(line, error))
    if not isinstance(value, dict):
        kind = _KINDS.get(type(value), "a number")
        return BadRow(number, f"is {kind}, not an object; write one {{…}} a line")
    return number, value


def _why(line: bytes, error: orjson.JSONDecodeError) -> str:
    try:
        line.decode()
    except UnicodeDecodeError as wrong:
        byte = f"byte 0x{line[wrong.start]:02X} at position {wrong.start + 1}"
        return f"{byte} is not UTF-8; {SAVE_AS_UTF8} (iconv -t UTF-8) or mend the line"
    return f"broken JSON at column {error.colno} ({error.msg}); write one whole object a line"


FORMAT = Format(endings=(".jsonl", ".ndjson"), read=read, fixed_columns=False)
