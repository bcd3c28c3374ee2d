"""The bytes of a store as whoever finds its files could read them, what is packed included."""

from __future__ import annotations

import zlib
from pathlib import Path

from adjudge.stores import packing

_SOME = 64  # bytes


def readable(file: Path) -> bytes:
    """Everything in the file, and what can be unpacked anywhere in it: also in pages that nobody
    uses any more, in a log, and of rows whose end stands elsewhere."""
    content = file.read_bytes()
    parts, at = [content], content.find(packing._MARK)
    while at >= 0:
        parts.append(_beginning(content, at + 1))
        at = content.find(packing._MARK, at + 1)
    return b"\n".join(parts)


def _beginning(content: bytes, at: int) -> bytes:
    unpacking, found = zlib.decompressobj(packing._WINDOW, packing._DICTIONARY), b""
    try:
        while at < len(content) and not unpacking.eof:
            found += unpacking.decompress(content[at : at + _SOME])
            at += _SOME
    except zlib.error:
        pass  # what came before counts
    return found
