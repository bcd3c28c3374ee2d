"""JSON Lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator

import orjson

from adjudge.core.reason import Reason

from . import bounds
from .base import BadRow, Format, RawRow, Source
from .textfile import open_utf8

_KINDS = {
    list: Reason("rows.kind.list"),
    str: Reason("rows.kind.text"),
    bool: Reason("rows.kind.truth"),
    type(None): Reason("rows.kind.null"),
}
_NUMBER = Reason("rows.kind.number")
_LINE = Reason("rows.where.line")


def read(source: Source) -> Iterator[RawRow]:
    """The objects of the file; blank lines count as lines and are passed over."""
    with open_utf8(source) as opened:
        for number, line in enumerate(bounds.lines_of(source, opened.file), 1):
            if not line.isspace():
                yield row_of(number, line, opened.remedy)


def row_of(number: int, text: bytes, remedy: Reason, where: Reason = _LINE) -> RawRow:
    """The row that the JSON text stands for; `where` says where one object is to be written."""
    try:
        value = _loads(text)
    except orjson.JSONDecodeError as error:
        return BadRow(number, _why(text, error, remedy, where))
    if not isinstance(value, dict):
        kind = _KINDS.get(type(value), _NUMBER)
        return BadRow(number, Reason("rows.no_object", kind=kind, where=where))
    if len(value) > bounds.COLUMNS:
        return BadRow(number, bounds.TOO_MANY_FIELDS)
    return number, value


def _loads(text: bytes) -> object:
    """NaN, which pandas and others write for what is not there, counts as null."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        if b"NaN" not in text:
            raise
        try:
            return json.loads(text, parse_constant=_constant)
        except (ValueError, RecursionError):
            pass
        raise


def _constant(name: str) -> None:
    if name != "NaN":
        raise ValueError(name)


def _why(text: bytes, error: orjson.JSONDecodeError, remedy: Reason, where: Reason) -> Reason:
    try:
        text.decode()
    except UnicodeDecodeError as wrong:
        byte, position = f"0x{text[wrong.start]:02X}", wrong.start + 1
        return Reason("rows.wrong_byte", byte=byte, position=position, remedy=remedy)
    return Reason("rows.json", column=error.colno, why=error.msg, where=where)


FORMAT = Format(endings=(".jsonl", ".ndjson"), read=read, fixed_columns=False, packable=True)
