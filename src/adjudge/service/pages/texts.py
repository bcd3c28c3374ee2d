"""Judged texts, prompts and replies as a page shows them: marked, and cut where they are long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

Span = tuple[int, int]

MOST = 20_000  # characters of one text on a page
_LEAST = 400  # of the parts between two marks


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: plain, marked by `names`, or so many characters `left_out`."""

    text: str
    names: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as it stands on the page; `name` leads to the whole of it where it is `cut`."""

    name: str
    pieces: tuple[Piece, ...]
    length: int

    @property
    def cut(self) -> bool:
        return any(piece.left_out for piece in self.pieces)


class Texts:
    """The texts of a page, each under a name of its own that leads to the whole of a cut one."""

    def __init__(self) -> None:
        self.whole: dict[str, str] = {}

    def show(self, name: str, text: str, marks: Mapping[str, Span] | None = None) -> Shown:
        self.whole[name] = text
        return Shown(name, pieces(text, marks or {}), len(text))


def pieces(text: str, marks: Mapping[str, Span], most: int = MOST) -> tuple[Piece, ...]:
    """The text in parts, so that each mark (a name and where it is, in characters) is seen.

    Where marks lie over each other, the shared part bears all their names.
    """
    spans = {name: span for name, span in marks.items() if 0 <= span[0] < span[1] <= len(text)}
    ends = sorted({0, len(text), *(end for span in spans.values() for end in span)})
    room = max(_LEAST, most // max(1, len(ends) - 1))
    found: list[Piece] = []
    for start, end in pairwise(ends):
        names = tuple(name for name, span in spans.items() if span[0] <= start and end <= span[1])
        found += _within(text[start:end], names, room)
    return tuple(found)


def _within(text: str, names: tuple[str, ...], room: int) -> list[Piece]:
    """The beginning and the end of what is longer than `room`."""
    if len(text) <= room:
        return [Piece(text, names)]
    end = room // 4
    begin = room - end
    left_out = Piece("", left_out=len(text) - room)
    return [Piece(text[:begin], names), left_out, Piece(text[-end:], names)]
