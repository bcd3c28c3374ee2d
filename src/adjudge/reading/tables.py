"""Markdown tables in a reply: a row a criterion."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .place import Span
from .words import normal

_ROW = re.compile(r"^[ \t]*\|(?P<cells>[^\n]*)\|[ \t]*$", re.MULTILINE)


def rows_in(text: str) -> Iterator[tuple[str, list[tuple[str, Span]]]]:
    """The normal form of each row's first cell, and its other cells with their spans."""
    for row in _ROW.finditer(text):
        cells: list[tuple[str, Span]] = []
        start = row.start("cells")
        for cell in row["cells"].split("|"):
            cells.append((cell.strip(), (start, start + len(cell))))
            start += len(cell) + 1
        if len(cells) > 1:
            yield normal(cells[0][0]), cells[1:]
