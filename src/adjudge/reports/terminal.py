"""Text from outside on a terminal: it is shown and never obeyed."""

from __future__ import annotations

import re
import unicodedata

# Controls, invisible formats (direction overrides among them), half surrogates, odd line breaks.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Line breaks and tabs do no harm; joiners carry meaning in Persian, Indic scripts and emoji.
_KEPT = frozenset("\n\t\u200c\u200d")
_SUSPECT = re.compile(r"[^\n\t\x20-\x7e]")


def printable(text: str) -> str:
    """The text with what could redraw a terminal, or hide on it, spelt out: ESC as `\\x1b`."""
    return _SUSPECT.sub(lambda found: _spelt(found[0]), text)


def _spelt(sign: str) -> str:
    if sign in _KEPT or unicodedata.category(sign) not in _UNSAFE:
        return sign
    return sign.encode("unicode_escape").decode()


def printable_json(text: str) -> str:
    """The same for JSON, which stays the same JSON: such characters stand in strings only."""
    return _SUSPECT.sub(lambda found: _as_escape(found[0]), text)


def _as_escape(sign: str) -> str:
    if sign in _KEPT or unicodedata.category(sign) not in _UNSAFE:
        return sign
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
