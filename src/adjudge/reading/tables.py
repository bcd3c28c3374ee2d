"""Markdown tables in a reply: a row per criterion, or a column."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from .words import NOT_A_SCORE, SCORE, normal

_ROW = re.compile(r"^[ \t]*+\|(?P<cells>[^\n]*)\|[ \t]*+$", re.MULTILINE)
_RULE = re.compile(r"[\s|:-]+")
# "Score 3", "Score: 3", "Max 5": a cell with a label of its own
_LABELLED = re.compile(r"(?P<label>[^\W\d][^\d:：=|]{0,30}?)\s?[:：=]?\s?(?=[\d*_])")
# A table wider than this is none of criteria; of one that is longer the last rows count.
_MOST_CELLS, _MOST_ROWS = 30, 2000


class Cell(NamedTuple):
    """A cell, where its text begins, and the normal form of its column's head ("" without one)."""

    text: str
    start: int
    head: str

    @property
    def is_score(self) -> bool:
        return self.head in SCORE

    @property
    def is_other(self) -> bool:
        """A maximum, a weight: a number, and not the score."""
        return self.head in NOT_A_SCORE

    def unlabelled(self) -> Cell | None:
        """Without the label that the cell itself holds; None when that is no score's."""
        found = _LABELLED.match(self.text)
        if not found:
            return self
        label = normal(found["label"])
        if label in NOT_A_SCORE:
            return None
        if label not in SCORE:
            return self
        rest = self.text[found.end() :]
        return Cell(rest, self.start + len(self.text) - len(rest), "score")


class Row(NamedTuple):
    """A row below its table's head: the cells, and whether it is the only one."""

    cells: tuple[Cell, ...]
    start: int
    alone: bool


def rows_in(text: str) -> Iterator[Row]:
    """The rows of all tables; a head is a row above a rule, and no row itself."""
    table: deque[re.Match[str]] = deque(maxlen=_MOST_ROWS)
    for found in _ROW.finditer(text):
        if table and found.start() != table[-1].end() + 1:
            yield from _rows(list(table))
            table.clear()
        table.append(found)
    yield from _rows(list(table))


def _rows(table: list[re.Match[str]]) -> Iterator[Row]:
    heads: list[str] = []
    body = [row for row in table if not _RULE.fullmatch(row["cells"])]
    if len(table) > 1 and body[:1] == table[:1] and _RULE.fullmatch(table[1]["cells"]):
        heads = [normal(cell) for cell in body[0]["cells"].split("|", _MOST_CELLS)]
        body = body[1:]
    for row in body:
        cells = row["cells"].split("|", _MOST_CELLS)
        yield Row(tuple(_placed(cells, row.start("cells"), heads)), row.start(), len(body) == 1)


def _placed(cells: list[str], start: int, heads: list[str]) -> Iterator[Cell]:
    for number, cell in enumerate(cells):
        head = heads[number] if number < len(heads) else ""
        yield Cell(cell.strip(), start + len(cell) - len(cell.lstrip()), head)
        start += len(cell) + 1
