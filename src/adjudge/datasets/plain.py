"""Values of typed formats as plain JSON values, so that equal rows are equal in every format."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from datetime import date, time

from .base import NoText

_AS_THEY_ARE = frozenset({str, bool, type(None)})
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1  # whole numbers beyond have no common form in JSON


def plain(value: object) -> object:
    """The value as JSON has it.

    Dates and times are ISO 8601, decimals and all else that JSON lacks are texts without loss, a
    number that is none (NaN) is null. Bytes are text where they are UTF-8, else `NoText`.
    """
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, bytes):
        return _text(value)
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _number(value: float) -> float | str | None:
    if isinstance(value, int):
        return value if _SMALLEST <= value <= _LARGEST else str(value)
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def _text(value: bytes) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" not in text:
        return text
    return NoText(f"binary, {len(value)} bytes, SHA-256 {hashlib.sha256(value).hexdigest()}")
