"""JSON as it goes over the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from adjudge.errors import ProviderError


def encode(body: Mapping[str, object], item: str) -> bytes:
    """The body of a request about this item."""
    try:
        return orjson.dumps(body, default=dict)
    except TypeError as error:  # half of a surrogate pair is no character that can be sent
        raise ProviderError(f"the prompt of item {item!r} cannot be sent: {error}") from None


def decode(body: bytes) -> Any:
    """What an answer holds; None when that is no JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
