"""How wide a text is on a sheet, without asking a font: the reader's is not known anyway."""

from __future__ import annotations

from wcwidth import wcwidth

LETTER = 6.6  # pixels that a letter takes at 12 pixels' size; Hangul takes two of them


def width(text: str) -> float:
    """In pixels, about; rather too wide than too narrow."""
    return cells(text) * LETTER


def cells(text: str) -> int:
    return sum(max(wcwidth(sign), 0) for sign in text)


def fitted(text: str, most: int) -> str:
    """The text on one line, cut to so many letters' width."""
    line = " ".join(text.split())
    if cells(line) <= most:
        return line
    kept, taken = "", 1
    for sign in line:
        taken += max(wcwidth(sign), 0)
        if taken > most:
            break
        kept += sign
    return f"{kept.rstrip()}…"
