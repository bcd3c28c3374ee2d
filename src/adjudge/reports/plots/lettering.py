"""How wide a text is on a sheet, without asking a font: the reader's is not known anyway."""

from __future__ import annotations

from wcwidth import wcwidth

LETTER = 7.2  # pixels that a letter takes at 12 pixels' size; Hangul takes two of them


def width(text: str) -> float:
    """In pixels, about; rather too wide than too narrow."""
    return cells(text) * LETTER


def cells(text: str) -> int:
    return sum(max(wcwidth(sign), 0) for sign in text)


def in_two(text: str, most: int) -> list[str]:
    """The text cut to so many letters' width, on two lines where one is too short for it."""
    words = text.split()
    line = " ".join(words)
    if cells(line) <= most or len(words) < 2:
        return [fitted(line, most)]
    halves = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    return [fitted(half, most) for half in min(halves, key=lambda two: max(map(cells, two)))]


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
