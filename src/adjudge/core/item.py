"""One row to judge."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from .reason import Reason


@dataclass(frozen=True, slots=True)
class Item:
    """An id and named texts.

    `fields` holds the texts by input name. `extra` holds the columns that no input uses: they stay
    with the item so that later analysis can group by them. `place` says where the row came from
    ("answers.csv, line 7") for messages.
    """

    id: str
    fields: Mapping[str, str]
    extra: Mapping[str, object] = field(default_factory=dict)
    place: str = ""


NOT_KEPT = Reason("not_kept")

_FORM = re.compile(r"\[not kept: [0-9a-f]{16}, (\d+) characters\]")


def stand_in(text: str, secret: bytes) -> str:
    """The same for a text that is one already."""
    if _FORM.fullmatch(text):
        return text
    digest = blake2b(text.encode(errors="surrogatepass"), key=secret[:64], digest_size=8)
    return f"[not kept: {digest.hexdigest()}, {len(text)} characters]"


def length_of(text: str) -> int:
    """Characters of the text itself, also where only its stand-in is known."""
    match = _FORM.fullmatch(text)
    return int(match[1]) if match else len(text)
