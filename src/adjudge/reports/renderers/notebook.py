"""Blocks as a piece of HTML for a notebook's cell: tables and plots, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ..blocks import Block, Folded, Heading, Lines, Plot, Quote, Table, Text, cut, flat
from ..plots.svg import inline
from .html import visible

_TOP = 3  # the level of the first heading: a notebook has titles of its own


def as_cell(blocks: Iterable[Block]) -> str:
    """The blocks below one `<div>`; nothing is loaded from elsewhere."""
    parts = "".join(map(_part, flat(blocks)))
    return visible(f'<div class="adjudge">{parts}</div>')


def _part(block: Block) -> str:
    match block:
        case Heading(text, level):
            tag = f"h{min(6, level + _TOP - 2)}"
            return f"<{tag}>{escape(text)}</{tag}>"
        case Lines(lines):
            return "".join(f"<p>{escape(str(line))}</p>" for line in lines)
        case Table(head, rows) | Folded(Table(head, rows)):
            return _table(head, rows)
        case Quote(who, text, most, code):
            tag = "pre" if code else "blockquote"
            return f"<p>{escape(str(who))}</p><{tag}>{escape(cut(text, most))}</{tag}>"
        case Plot(draw, caption):
            drawn = draw()
            if drawn is not None:
                return f"{inline(drawn)}<p>{escape(caption)}</p>"
    return ""


def _table(head: Sequence[Text], rows: Sequence[Sequence[Text]]) -> str:
    body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{_cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"


def _cells(tag: str, cells: Sequence[Text]) -> str:
    return "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells)
