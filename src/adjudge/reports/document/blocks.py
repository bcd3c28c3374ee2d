"""What a report is made of, besides the blocks of a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..page import Block, Table
from ..strings import Strings

# SVG text, None where there is nothing to draw.
Drawing = Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture, drawn when it is needed: its figures stand in a table beside it, so Markdown does
    without. `caption` says whose it is where several look alike."""

    draw: Drawing
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Folded:
    """The figures that plots show already, for those who want them as a table: behind a fold on a
    page, as they are in Markdown, which has no plots."""

    table: Table


Part = Block | Plot | Folded


@dataclass(frozen=True, slots=True)
class Tongue:
    """How a section speaks: its words, and the level of its headings."""

    say: Strings
    level: int = 2
