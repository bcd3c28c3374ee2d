"""JSON: a list of objects, or one object that holds such a list; read row by row.

A file of that ending with one object per line is read as JSON Lines.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from adjudge.core.reason import Reason
from adjudge.errors import DataError

from . import bounds, jsonl
from .base import BadRow, Format, RawRow, Source
from .bounds import listed
from .textfile import holds_lines, open_utf8

_START = 64 * 1024
_LINES = Reason("file.json_lines")
_ENTRY = Reason("rows.where.entry")
_RECORDS = Reason("file.json_records")


def read(source: Source) -> Iterator[RawRow]:
    """The objects of the list, numbered from 1. Broken JSON ends the reading with a DataError."""
    with open_utf8(source) as opened:
        lines = source.table is None and holds_lines(opened.file.read(_START))
    if lines:
        yield from _numbered(jsonl.read(source))
        return
    key = _key(source)
    with open_utf8(source) as opened:
        text = JsonText(opened.file, source)
        if key is not None:
            _enter(text, key)
        for number, row in enumerate(_elements(text), 1):
            packed = row.encode("utf-8", "surrogateescape")
            yield jsonl.row_of(number, packed, opened.remedy, _ENTRY)
        if key is None and (after := text.peek()):
            raise source.error(Reason("file.after_list", text=after))


def _numbered(rows: Iterator[RawRow]) -> Iterator[RawRow]:
    for number, row in enumerate(rows, 1):
        yield BadRow(number, row.why) if isinstance(row, BadRow) else (number, row[1])


def _key(source: Source) -> str | None:
    """Where the rows are in an object: the part asked for, else its only list of objects."""
    with open_utf8(source) as opened:
        text = JsonText(opened.file, source)
        if text.peek() == "[":
            if source.table is not None:
                raise source.error(Reason("file.whole_list", part=source.table))
            return None
    lists, part = keys(source), source.table
    if part in lists or (part is None and len(lists) == 1):
        return part or lists[0]
    if not lists:
        raise source.error(Reason("file.no_list", records=_RECORDS, lines=_LINES))
    names, name = listed(lists), str(source.shown or source.path)
    raise source.error(Reason("file.several_lists", names=names, name=name, first=lists[0]))


def keys(source: Source) -> list[str]:
    """The keys of an object that hold lists of objects; none of a list, and of lines."""
    with open_utf8(source) as opened:
        if source.table is None and holds_lines(opened.file.read(_START)):
            return []
    with open_utf8(source) as opened:
        text = JsonText(opened.file, source)
        if text.peek() == "[":
            return []
        if text.peek() != "{":
            raise source.error(Reason("file.no_json_list", text=text.peek(), records=_RECORDS))
        lists = [key for key in _members(text) if _holds_objects(text)]
        if text.peek():
            raise source.error(Reason("file.after_object", lines=_LINES))
    return lists


def _enter(text: JsonText, key: str) -> None:
    """Stops before the value of `key`."""
    for member in _members(text):
        if member == key:
            return
        text.value()


def _members(text: JsonText) -> Iterator[str]:
    """The keys of an object; the caller takes each one's value before the next."""
    text.take("{")
    while text.peek() != "}":
        key = text.key()
        text.take(":")
        yield key
        if text.peek() != "}":
            text.take(",")
    text.take("}")


def _holds_objects(text: JsonText) -> bool:
    """Goes past a value; whether it is a list that begins with an object."""
    if text.peek() != "[":
        text.value()
        return False
    first = ""
    for element in _elements(text):
        first = first or element
    return first.startswith("{")


def _elements(text: JsonText) -> Iterator[str]:
    """The texts of a list's entries."""
    text.take("[")
    while text.peek() != "]":
        yield text.value()
        if text.peek() != "]":
            text.take(",")
    text.take("]")


FORMAT = Format(
    endings=(".json",),
    read=read,
    fixed_columns=False,
    unit="row",
    packable=True,
    parts="a key",
    tables=keys,
)


_CHUNK = 1024 * 1024
_SPACE = re.compile(r"[ \t\n\r]*")
# An error this close to the end of what was read so far may only mean that the rest is missing.
_NEAR_END = 16
_OPEN = "Unterminated string"
# Only where a value ends is asked for: a number of many digits is not worked out.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


class JsonText:
    """Stands before the next piece of the text. DataError where the text is broken.

    Bytes that are not UTF-8 come through as lone surrogates, for the row that holds them.
    """

    def __init__(self, file: BinaryIO, source: Source) -> None:
        self._file, self._source = file, source
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        self._text, self._at = "", 0
        self._lines_before = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._more()

    def take(self, sign: str) -> None:
        """Goes past `sign`, which must come next."""
        if self.peek() != sign:
            raise self._broken(f"expected {sign!r}", self._at)
        self._at += 1

    def key(self) -> str:
        """Goes past the next value, which must be a text, and gives that."""
        if self.peek() != '"':
            raise self._broken("expected a key", self._at)
        return str(json.loads(self.value()))

    def value(self) -> str:
        """Goes past the next value, of whatever kind, and gives its text."""
        self.peek()
        while True:
            try:
                _, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._ended or self._is_real(error):
                    raise self._broken(error.msg, error.pos) from None
            except RecursionError:
                raise self._broken("nested too deeply", self._at) from None
            else:
                # A number may go on in what is not read yet.
                if end < len(self._text) or self._ended:
                    start, self._at = self._at, end
                    return self._text[start:end]
            if len(self._text) - self._at > bounds.ROW:
                raise self._broken(f"one value of more than {bounds.ROW:,} characters", self._at)
            self._more()

    def _is_real(self, error: json.JSONDecodeError) -> bool:
        return not error.msg.startswith(_OPEN) and error.pos < len(self._text) - _NEAR_END

    def _more(self) -> None:
        """Forgets what is passed; reads as much as is left over, so that long values stay cheap."""
        self._lines_before += self._text.count("\n", 0, self._at)
        rest = self._text[self._at :]
        read = self._file.read(max(_CHUNK, len(rest)))
        self._ended = not read
        self._text, self._at = rest + self._decode(read, final=self._ended), 0

    def _broken(self, what: str, at: int) -> DataError:
        line = self._lines_before + self._text.count("\n", 0, at) + 1
        if self._ended and (what.startswith(_OPEN) or not self._text[at:].strip()):
            return self._source.error(Reason("file.json_ends"), line=line)
        return self._source.error(Reason("file.broken_json", what=what), line=line)
