"""What a text is, told from its beginning, where no name says it."""

from __future__ import annotations

import codecs

import orjson

_BINARY = {b"PAR1": ".parquet", b"PK\x03\x04": ".xlsx"}


def ending_of(start: bytes) -> str:
    """The ending that a file beginning like this should have; a table where nothing else fits."""
    for magic, ending in _BINARY.items():
        if start.startswith(magic):
            return ending
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"["):
        return ".json"
    if text.startswith(b"{"):
        # An object spread over lines goes on after an opening bracket or a comma.
        first = text.partition(b"\n")[0].rstrip()
        return ".json" if first.endswith((b"{", b"[", b",")) else ".jsonl"
    return ".csv"


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
