"""What a text is, told from its beginning, where no name says it."""

from __future__ import annotations

import codecs

import orjson

_PARQUET, _ZIP = b"PAR1", b"PK\x03\x04"


def ending_of(start: bytes) -> str:
    """The ending that a file beginning like this should have; a table where nothing else fits."""
    if binary := binary_ending(start):
        return binary
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"["):
        return ".json"
    if text.startswith(b"{"):
        # An object spread over lines goes on after an opening bracket or a comma.
        first = text.partition(b"\n")[0].rstrip()
        return ".json" if first.endswith((b"{", b"[", b",")) else ".jsonl"
    return ".csv"


def binary_ending(start: bytes) -> str | None:
    """The ending of what is no text at all, `.parquet` or `.xlsx` (any ZIP file); else None."""
    # The letters alone may begin the header of a table; in Parquet a control character follows.
    if start.startswith(_PARQUET) and start[4:5] < b" " and not start[4:5].isspace():
        return ".parquet"
    if start.startswith(_ZIP):
        return ".xlsx"
    return None


def holds_lines(start: bytes) -> bool:
    """Whether this is one object a line, and more than one: JSON Lines under another name."""
    first, _, rest = start.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
    if not first.startswith(b"{") or not rest.lstrip().startswith(b"{"):
        return False
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return False
    return True
