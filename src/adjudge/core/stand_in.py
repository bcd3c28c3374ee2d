"""What a store holds in the place of a text, for a run that keeps none.

`[not kept: 3f9c0a1b2c4d5e6f, 120 characters]`: equal texts have equal stand-ins, so that groups,
questions and items can still be told apart, and lengths compared. The hash is keyed with the
store's secret: a list of likely texts alone does not tell which one it was.
"""

from __future__ import annotations

import re
from hashlib import blake2b

NOT_KEPT = "not kept: the run keeps no texts"

_FORM = re.compile(r"\[not kept: [0-9a-f]{16}, (\d+) characters\]")


def stand_in(text: str, secret: bytes) -> str:
    """The same for a text that is one already."""
    if _FORM.fullmatch(text):
        return text
    digest = blake2b(text.encode(errors="surrogatepass"), key=secret[:64], digest_size=8)
    return f"[not kept: {digest.hexdigest()}, {len(text)} characters]"


def length_of(text: str) -> int:
    """Characters of the text itself, also where only its stand-in is known."""
    found = _FORM.fullmatch(text)
    return int(found[1]) if found else len(text)
