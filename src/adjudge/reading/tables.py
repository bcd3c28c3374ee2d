"""Markdown tables in a reply: a row a criterion."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterator

from .words import normal

_ROW = re.compile(r"^[ \t]*+\|(?P<cells>[^\n]*)\|[ \t]*+$", re.MULTILINE)
# A table wider than this is none of criteria; of one that is longer the last rows count.
_MOST_CELLS, _MOST_ROWS = 30, 2000


def rows_in(text: str, known: Container[str]) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The rows whose first cell is, in its normal form, a known label: that form, and the other
    cells with where they begin."""
    seen: dict[str, str] = {}
    rows: deque[tuple[str, str, int]] = deque(maxlen=_MOST_ROWS)
    for row in _ROW.finditer(text):
        first, bar, others = row["cells"].partition("|")
        if first not in seen:
            seen[first] = normal(first)
        if bar and seen[first] in known:
            rows.append((seen[first], others, row.start("cells") + len(first) + 1))
    for label, others, start in rows:
        yield label, list(_placed(others.split("|", _MOST_CELLS), start))


def _placed(cells: list[str], start: int) -> Iterator[tuple[str, int]]:
    for cell in cells:
        yield cell.strip(), start + len(cell) - len(cell.lstrip())
        start += len(cell) + 1
