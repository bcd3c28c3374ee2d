"""Labels from a file: wide, a column a criterion, or long, a row a label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

from adjudge.core.label import DRAWS, Draw, Label, value_of
from adjudge.core.scale import NotAValue, Scale
from adjudge.errors import DataError

from .base import BadRow, Cells, NotText
from .items import text_of
from .label_columns import Layout, Unfit, WrongHeader, layout_of, uncovered
from .names import normal
from .sources import Data, open_data

_NAMED = 5
# What spreadsheets open, and exports therefore write with care.
_TABLES = frozenset({".csv", ".tsv", ".xlsx"})


def read_labels(path: Path, criteria: Mapping[str, Scale]) -> list[Label]:
    """The labels of a file in any data format, in its order; `criteria` are the judge's.

    A wide row has the item, perhaps a `rater` and a `draw`, and a column a criterion; a long one
    `item, rater, criterion, value`. Empty cells are no labels. Columns and criteria that the judge
    does not have are passed over, unless one looks like a slip of the pen.

    Raises DataError that names the first wrong rows; also where a rater labels a thing twice, and
    where no label is left.
    """
    data = open_data(str(path))
    reader = _Reader(data, criteria)
    labels = list(reader.labels())
    if reader.wrong:
        raise DataError(reader.complaint(str(path)))
    if not labels:
        raise DataError(
            f"{path}: holds no label. The criteria are {', '.join(criteria)};"
            f" {reader.found()}. Name a column for each, or write rows of item, rater, criterion,"
            " value."
        )
    return labels


class _Reader:
    """One walk over the rows; the wrong ones are counted, the first few kept."""

    def __init__(self, data: Data, criteria: Mapping[str, Scale]) -> None:
        self._data, self._criteria = data, criteria
        self._table = any(_TABLES & set(known.endings) for _, known in data.files)
        self._names = {normal(name): name for name in criteria}
        self._layouts: dict[tuple[str, ...], Layout] = {}
        self._seen: dict[tuple[str, str, str], int] = {}
        self._read: dict[tuple[str, str], float | str] = {}  # people use few values, often
        self._unknown: dict[str, None] = {}
        self._first: list[str] = []
        self.wrong = 0

    def labels(self) -> Iterator[Label]:
        for place, row in self._data.rows():
            try:
                if isinstance(row, BadRow):
                    raise Unfit(row.why)  # noqa: TRY301 - one place tells of all
                yield from self._row(place, row)
            except (Unfit, NotText) as why:
                self.wrong += 1
                if self.wrong <= _NAMED:
                    self._first.append(f"  {self._data.place(place)}: {why}")
                if isinstance(why, WrongHeader) and self._data.fixed_from(place):
                    return  # every row would say so again

    def complaint(self, name: str) -> str:
        what = "1 row is wrong" if self.wrong == 1 else f"{self.wrong} rows are wrong"
        more = [f"  and {self.wrong - _NAMED} more"] if self.wrong > _NAMED else []
        last = "Mend them: a label that is guessed is no label."
        return "\n".join([f"{name}: {what}", *self._first, *more, last])

    def found(self) -> str:
        """What there is in place of labels."""
        if self._unknown:
            return f"the rows name {', '.join(self._unknown)}"
        columns = dict.fromkeys(name for names in self._layouts for name in names)
        return f"the columns are {', '.join(columns)}"

    def _row(self, place: int, cells: Cells) -> Iterator[Label]:
        layout = self._layout(tuple(cells))
        item = self._text(cells[layout.item])  # as in the data, spaces and all
        if not item.strip():
            raise Unfit(f"column {layout.item!r} is empty; name the item")
        rater = self._text(cells[layout.rater]).strip() if layout.rater else ""
        draw = _draw(self._text(cells[layout.draw])) if layout.draw else ""
        created = self._text(cells[layout.created]).strip() if layout.created else ""
        for criterion, cell in self._values(layout, cells):
            value = self._value(criterion, cell)
            self._claim(place, (item, rater, criterion))
            yield Label(item, rater, criterion, value, draw, created)

    def _layout(self, columns: tuple[str, ...]) -> Layout:
        known = self._layouts.get(columns)
        if known is None:
            known = self._layouts[columns] = layout_of(columns, self._names)
        return known

    def _values(self, layout: Layout, cells: Cells) -> Iterator[tuple[str, object]]:
        """The criteria that the row has a value for."""
        if layout.long is None:
            named = [(name, cells[column]) for column, name in layout.wide.items()]
        else:
            written, value = layout.long
            name = self._named(self._text(cells[written]))
            named = [(name, cells[value])] if name else []
        for name, cell in named:
            if cell is not None and not (isinstance(cell, str) and not cell.strip()):
                yield name, cell

    def _named(self, written: str) -> str | None:
        name = self._names.get(normal(written))
        if name is None:
            close = get_close_matches(normal(written), self._names, n=1, cutoff=0.8)
            if close:
                meant = self._names[close[0]]
                raise Unfit(f"there is no criterion {written!r}; did you mean {meant}?")
            self._unknown[written] = None
        return name

    def _value(self, criterion: str, cell: object) -> float | str:
        written = self._text(cell) if isinstance(cell, str) else cell
        known = self._read.get((criterion, written)) if isinstance(written, str) else None
        if known is not None:
            return known
        try:
            value = value_of(self._criteria[criterion], written)
        except NotAValue as why:
            raise Unfit(f"{criterion}: {why}") from None
        if isinstance(written, str):
            self._read[criterion, written] = value
        return value

    def _text(self, cell: object) -> str:
        text = text_of(cell) or ""
        return uncovered(text) if self._table else text

    def _claim(self, place: int, key: tuple[str, str, str]) -> None:
        first = self._seen.setdefault(key, place)
        if first != place:
            item, rater, criterion = key
            by = f"{rater!r} has" if rater else "somebody has"
            raise Unfit(
                f"{by} labelled {criterion} of item {item!r} on {self._data.place(first)} already;"
                " keep one, or tell the people apart in a column `rater`"
            )


def _draw(written: str) -> Draw:
    for draw in DRAWS:
        if draw == written.strip().casefold():
            return draw
    raise Unfit(f"the draw {written!r} is unknown; write random, uncertain, abstained or nothing")
