"""Blocks as a piece of HTML for a notebook's cell: tables and plots, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ..blocks import Block, Folded, Heading, Lines, Plot, Quote, Table, cut, flat
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
        case Table() | Folded():
            return _table(block if isinstance(block, Table) else block.table)
        case Quote(who, text, most):
            return f"<p>{escape(str(who))}</p><blockquote>{escape(cut(text, most))}</blockquote>"
        case Plot(draw, caption):
            drawn = draw()
            if drawn is not None:
                return f"{inline(drawn)}<p>{escape(caption)}</p>"
    return ""


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(str(cell))}</th>" for cell in table.head)
    rows = (
        "".join(f"<td>{escape(str(cell))}</td>" for cell in row).join(("<tr>", "</tr>"))
        for row in table.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
