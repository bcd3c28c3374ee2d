"""Rows of any format in one plain form of our own: an uploaded file is taken apart once, by a
worker, and whatever needs its rows afterwards reads this.

A line is `[line, {…}]` for a row and `[line, [why]]` for a bad one. Where the original was not in
UTF-8, and nobody had named its encoding, a first line `["encoding", "…"]` says what it was read in.
It keeps the ending of the
original before its own, so that rows are still counted by lines there and by rows elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import orjson

from adjudge.core.reason import Reason

from .base import BadRow, RawRow, Source, UnreadableCell
from .bounds import lines_of
from .textfile import KEPT_ENCODING, open_bytes

ENDING = ".rows"
_MARK = "\0"  # the key of what stands in for something that is no text
_MARK_IN_JSON = b'"\\u0000":'
_TOO_DEEP = Reason("rows.too_deep")


def write(rows: Iterable[RawRow], out: BinaryIO, encoding: str | None = None) -> None:
    if encoding:
        out.write(KEPT_ENCODING + orjson.dumps(encoding) + b"]\n")
    out.writelines(lines(rows))


def lines(rows: Iterable[RawRow]) -> Iterator[bytes]:
    return map(_line, rows)


def _line(row: RawRow) -> bytes:
    if isinstance(row, BadRow):
        return orjson.dumps([row.line, [row.why]], option=orjson.OPT_APPEND_NEWLINE)
    option = orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_SUBCLASS
    try:
        return orjson.dumps(row, default=_marked, option=option)
    except TypeError:
        return _line(BadRow(row[0], _TOO_DEEP))


def _marked(value: object) -> object:
    if isinstance(value, UnreadableCell):
        return {_MARK: [str(value), value.remedy]}
    raise TypeError(type(value).__name__)


def read(source: Source) -> Iterator[RawRow]:
    """As they were written; DataError where the file is not one of ours."""
    with open_bytes(source) as file:
        for text in lines_of(source, file):
            try:
                match orjson.loads(text):
                    case [int(line), dict(cells)]:
                        yield line, _unmarked(cells) if _MARK_IN_JSON in text else cells
                        continue
                    # A text is how reasons were kept earlier.
                    case [int(line), [why]] | [int(line), str(why)]:
                        yield BadRow(line, Reason.of(why))
                        continue
                    case ["encoding", str()]:
                        continue
            except orjson.JSONDecodeError:
                pass
            raise source.error(Reason("file.broken"))


def _unmarked(value: Any) -> Any:
    match value:
        case {"\0": [str(text), remedy], **others} if not others:
            return UnreadableCell(text, Reason.of(remedy))
        case dict():
            return {key: _unmarked(inner) for key, inner in value.items()}
        case list():
            return [_unmarked(inner) for inner in value]
    return value
