"""Tables of Markdown in a reply, a row or a column per criterion, and tags: <score>4</score>."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterator
from typing import NamedTuple

from ..vocabulary import NOT_A_SCORE, SCORE, normal

_ROW = re.compile(r"^[ \t]*+\|(?P<cells>[^\n]*)\|[ \t]*+$", re.MULTILINE)
_RULE = re.compile(r"[\s|:-]+")
# "Score 3", "Score: 3", "Max 5": a cell with a label of its own
_LABELLED = re.compile(r"(?P<label>[^\W\d][^\d:：=|]{0,30}?)\s?[:：=]?\s?(?=[\d*_])")
# A table wider than this is none of criteria; of one that is longer the last rows count.
_MOST_CELLS, _MOST_ROWS = 30, 2000


class TableCell(NamedTuple):
    """A cell, where its text begins, and the normal form of its column's head ("" without one)."""

    text: str
    start: int
    head: str

    def unlabelled(self) -> TableCell | None:
        """Without the label that the cell itself holds; None when that is no score's."""
        match = _LABELLED.match(self.text)
        if not match:
            return self
        label = normal(match["label"])
        if label in NOT_A_SCORE:
            return None
        if label not in SCORE:
            return self
        rest = self.text[match.end() :]
        return TableCell(rest, self.start + len(self.text) - len(rest), "score")


class TableRow(NamedTuple):
    """A row below its table's head: the cells, and whether it is the only one."""

    cells: tuple[TableCell, ...]
    start: int
    alone: bool


def rows_in(text: str) -> Iterator[TableRow]:
    """The rows of all tables; a head is a row above a rule, and no row itself."""
    table: deque[re.Match[str]] = deque(maxlen=_MOST_ROWS)
    for match in _ROW.finditer(text):
        if table and match.start() != table[-1].end() + 1:
            yield from _rows(list(table))
            table.clear()
        table.append(match)
    yield from _rows(list(table))


def _rows(table: list[re.Match[str]]) -> Iterator[TableRow]:
    heads: list[str] = []
    body = [row for row in table if not _RULE.fullmatch(row["cells"])]
    if len(table) > 1 and body[:1] == table[:1] and _RULE.fullmatch(table[1]["cells"]):
        heads = [normal(cell) for cell in body[0]["cells"].split("|", _MOST_CELLS)]
        body = body[1:]
    for row in body:
        cells = row["cells"].split("|", _MOST_CELLS)
        yield TableRow(
            tuple(_placed(cells, row.start("cells"), heads)), row.start(), len(body) == 1
        )


def _placed(cells: list[str], start: int, heads: list[str]) -> Iterator[TableCell]:
    for number, cell in enumerate(cells):
        head = heads[number] if number < len(heads) else ""
        yield TableCell(cell.strip(), start + len(cell) - len(cell.lstrip()), head)
        start += len(cell) + 1


_OPEN = re.compile(r"<([^\W\d][\w-]{0,30})(?:\s[^<>\n]{0,100})?>")
# Of a text made of tags the last ones count, and none reaches further than this.
_MOST, _LONGEST = 200, 20_000


def tags_in(text: str, known: Container[str]) -> Iterator[tuple[str, int, int]]:
    """The normal form of each known tag's name, and where its content begins and ends."""
    opened = deque((tag for tag in _OPEN.finditer(text) if normal(tag[1]) in known), maxlen=_MOST)
    for tag in opened:
        end = text.find(f"</{tag[1]}>", tag.end(), tag.end() + _LONGEST)
        if end >= 0:
            yield normal(tag[1]), tag.end(), end
