"""What a report is made of, besides the blocks of a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..page import Block
from ..strings import Strings

# SVG text, None where there is nothing to draw.
Drawing = Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture, drawn when it is needed: its figures stand in a table beside it, so Markdown does
    without."""

    draw: Drawing


Part = Block | Plot


@dataclass(frozen=True, slots=True)
class Tongue:
    """How a section speaks: its words, and the level of its headings."""

    say: Strings
    level: int = 2
