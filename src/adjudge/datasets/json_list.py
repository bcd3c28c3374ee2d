"""JSON: a list of objects, or one object that holds such a list; read row by row.

A file of that ending with one object a line is read as JSON Lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.errors import DataError

from . import jsonl
from .base import BadRow, Format, RawRow, Source
from .bounds import listed
from .content import holds_lines
from .json_text import JsonText
from .textfile import open_utf8

_START = 64 * 1024
_LINES = "one object a line belongs in a file that ends in .jsonl"
_RECORDS = "write a list of objects, [{…}, {…}] (pandas: orient='records')"


def read(source: Source) -> Iterator[RawRow]:
    """The objects of the list, numbered from 1. Broken JSON ends the reading with a DataError."""
    with open_utf8(source) as opened:
        lines = source.part is None and holds_lines(opened.file.read(_START))
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
            yield jsonl.row_of(number, packed, opened.remedy, "an entry")
        if key is None and (after := text.peek()):
            raise DataError(f"{source}: {after!r} follows the list; write one list a file")


def _numbered(rows: Iterator[RawRow]) -> Iterator[RawRow]:
    for number, row in enumerate(rows, 1):
        yield BadRow(number, row.why) if isinstance(row, BadRow) else (number, row[1])


def _key(source: Source) -> str | None:
    """Where the rows are in an object: the part asked for, else its only list of objects."""
    with open_utf8(source) as opened:
        text = JsonText(opened.file, source)
        if text.peek() == "[":
            if source.part is not None:
                raise DataError(f"{source}: the file is a list; leave out '#{source.part}'")
            return None
        if text.peek() != "{":
            raise DataError(f"{source}: begins with {text.peek()!r}; {_RECORDS}")
        lists = [key for key in _members(text) if _holds_objects(text)]
        if text.peek():
            raise DataError(f"{source}: more follows the first object; {_LINES}")
    if source.part in lists or (source.part is None and len(lists) == 1):
        return source.part or lists[0]
    if not lists:
        raise DataError(
            f"{source}: is one object that holds no list of objects; {_RECORDS}; {_LINES}"
        )
    names = listed(lists, len(lists))
    name = source.shown or source.path
    raise DataError(
        f"{source}: lists of objects are below {names}; choose one: '{name}#{lists[0]}'"
    )


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
)
