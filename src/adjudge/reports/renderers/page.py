"""Blocks on a web page: cards with links to other pages and plots as images."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from adjudge.strings import Strings

from ..blocks import Block, Cell, Plot, Section, Table, Text, cut
from .html import template

_NUMBER = re.compile(r"(?:예 )?[-+−<>]?[\d–]|$")  # the share of yes begins with it in Korean

_BESIDE, _WORD = 3, 14  # columns, and letters of a word, that a telephone shows without a card


@dataclass(frozen=True, slots=True)
class PageRenderer:
    """How the blocks of one page are shown: `links` has addresses by the name of the target, what
    is not among them is no link; `plots` is the address below which plots are, `query` what they
    are asked for; `items` is the page that a click on a part of a plot filters the items of."""

    say: Strings
    links: Mapping[str, str | Callable[[Mapping[str, str]], str]] = field(default_factory=dict)
    plots: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    items: str = ""

    def cards(self, sections: Iterable[Section]) -> Markup:
        """A card per section."""
        return Markup("").join(macros().card(self, section) for section in sections)

    def inner(self, blocks: Sequence[Block], title: str = "") -> Markup:
        """Blocks that stand in a card of the page's own; `title` names their tables."""
        body: Markup = macros().body(self, blocks, 3, title)
        return body

    def address(self, link: str, fields: Mapping[str, str]) -> str:
        """Where a link leads to, "" where this page knows no such target."""
        target = self.links.get(link, "")
        return target(fields) if callable(target) else target

    def image(self, plot: Plot, *, narrow: bool = False) -> str:
        fields = {**self.query, **plot.fields, "narrow": "1" if narrow else ""}
        asked = {name: value for name, value in fields.items() if value}
        return f"{self.plots}/{plot.name}.svg?{urlencode(asked)}"


def _groups(blocks: Iterable[Block]) -> list[tuple[str, list[Block]]]:
    """The blocks by kind, with plots that follow each other together."""
    groups: list[tuple[str, list[Block]]] = []
    for kind, group in groupby(blocks, lambda block: type(block).__name__):
        members = list(group)
        groups += [(kind, members)] if kind == "Plot" else [(kind, [block]) for block in members]
    return groups


def _cell(text: Text) -> Cell:
    return text if isinstance(text, Cell) else Cell(text)


def _parts(text: str) -> tuple[str, str]:
    """A figure, and its interval where there is one: it may stand on a line of its own."""
    figure, bracket, rest = text.partition(" [")
    return (figure, f"[{rest}") if bracket and _NUMBER.match(text) else (text, "")


def numeric_columns(table: Table) -> list[bool]:
    """By column, whether it holds numbers."""
    return [
        at > 0 and all(_NUMBER.match(str(row[at])) for row in table.rows)
        for at in range(len(table.head))
    ]


def is_wide(table: Table) -> bool:
    """Whether a telephone has no room for its columns beside each other."""
    longest = max(len(word) for text in table.head for word in ["", *str(text).split()])
    return len(table.head) > _BESIDE or longest > _WORD


@cache
def macros() -> Any:
    """What shows blocks, compiled once: a service calls it before anybody asks for a page."""
    return template(
        "page.html.j2",
        cut=cut,
        cell=_cell,
        parts=_parts,
        numeric=numeric_columns,
        wide=is_wide,
        groups=_groups,
    ).module
