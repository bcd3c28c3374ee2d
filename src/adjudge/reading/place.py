"""Where in a reply something stands."""

from __future__ import annotations

from typing import NamedTuple

Span = tuple[int, int]


class Place(NamedTuple):
    """What stands in a score's place, that place in words, and its span in the reply.

    The span is None where the text had to be mended before it could be read. `start` is where the
    statement begins that holds the value: its label, its key, its first word.
    """

    raw: object
    words: str
    span: Span | None = None
    start: int | None = None


def withdrawn(place: Place) -> Place:
    """The place of a value that the reply takes back: it holds none any more."""
    return Place(f"taken back: {place.raw}", place.words)
