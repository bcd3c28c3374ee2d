"""Where in a reply something stands."""

from __future__ import annotations

from typing import Literal, NamedTuple

Span = tuple[int, int]
Form = Literal["json", "label", "other"]


class Place(NamedTuple):
    """What stands in a score's place, that place in words, and its span in the reply.

    The span is None where the text had to be mended before it could be read. `start` is where the
    statement begins that holds the value: its label, its key, its first word. `stop` is where a
    sentence's words end that state it. `form` says what kind of place it is; `key` is the last one
    of JSON.
    """

    raw: object
    words: str
    span: Span | None = None
    start: int | None = None
    stop: int | None = None
    form: Form = "other"
    key: str = ""


def withdrawn(place: Place) -> Place:
    """The place of a value that the reply takes back: it holds none any more."""
    return Place(f"taken back: {place.raw}", place.words)
