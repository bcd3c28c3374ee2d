"""Labels from a file: wide, a column per criterion, or long, a row per label."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from adjudge.core.label import DRAWS, Draw, Label, stratum_of, value_of
from adjudge.core.reason import Reason, reason_of
from adjudge.core.scale import NotAValue, Scale
from adjudge.errors import DataError, OtherEncoding

from .base import BadRow, CellError, Cells
from .encodings import spoken
from .in_memory import DataLike, opened_data
from .items import RowProblem, RowProblems, text_of
from .selectors import ID_COLUMNS, normal_name
from .sources import Data

# What spreadsheets open, and exports therefore write with care.
_TABLES = frozenset({".csv", ".tsv", ".xlsx"})


def opened_labels(source: DataLike) -> Data:
    """Warns of files in another encoding than UTF-8 that nobody has named; the code that opened
    the data before has said so."""
    data = opened_data(source)
    for file, encoding in data.encodings.items() if data is not source else ():
        said = Reason("caution.labels_encoding", file=file, encoding=spoken(encoding))
        warnings.warn(str(said), OtherEncoding, stacklevel=3)
    return data


def read_labels(source: DataLike, criteria: Mapping[str, Scale]) -> list[Label]:
    """The labels of a file in any data format, or of rows in memory, in their order; `criteria` are
    the judge's.

    A wide row has the item, perhaps a `rater`, a `draw` and a `comment`, and a column per
    criterion; a long one `item, rater, criterion, value`. Empty cells are no labels. Columns and
    criteria that the judge does not have are passed over, unless one looks like a slip of the pen.

    Raises DataError that names the first wrong rows; also where a rater labels a thing twice, and
    where no label is left.
    """
    data = opened_labels(source)
    reader = _Reader(data, criteria)
    labels = list(reader.labels())
    if complaint := reader.complaint():
        raise DataError(complaint.in_file(data.name))
    if not labels:
        raise DataError(reader.nothing().in_file(data.name))
    return labels


class _Reader:
    """One walk over the rows; the wrong ones are counted, the first few kept."""

    def __init__(self, data: Data, criteria: Mapping[str, Scale]) -> None:
        self._data, self._criteria = data, criteria
        self._table = any(_TABLES & set(known.endings) for _, known in data.files)
        self._names = {normal_name(name): name for name in criteria}
        self._layouts: dict[tuple[str, ...], LabelLayout] = {}
        self._seen: dict[tuple[str, str, str], int] = {}
        self._read: dict[tuple[str, str], float | str] = {}  # people use few values, often
        self._unknown: dict[str, None] = {}
        self._wrong = RowProblems()

    def labels(self) -> Iterator[Label]:
        for place, row in self._data.rows():
            try:
                if isinstance(row, BadRow):
                    raise Unfit(row.why)  # noqa: TRY301 - one place tells of all
                yield from self._row(place, row)
            except (Unfit, CellError) as why:
                self._wrong.add(RowProblem(self._data.place(place), reason_of(why)))
                if isinstance(why, WrongHeader) and self._data.fixed_from(place):
                    return  # every row would say so again

    def complaint(self) -> Reason | None:
        """What is wrong with the rows; None where nothing is."""
        if not self._wrong.count:
            return None
        rows, last = self._wrong.entries(), Reason("labels.mend")
        return Reason("labels.wrong", n=self._wrong.count, rows=rows, last=last)

    def nothing(self) -> Reason:
        """What there is in place of labels."""
        if not self._layouts:
            return Reason("file.no_rows")
        criteria = tuple(self._criteria)
        if self._unknown:
            return Reason("labels.none_named", criteria=criteria, names=tuple(self._unknown))
        columns = dict.fromkeys(name for names in self._layouts for name in names)
        return Reason("labels.none", criteria=criteria, columns=tuple(columns))

    def _row(self, place: int, cells: Cells) -> Iterator[Label]:
        layout = self._layout(tuple(cells))
        item = self._text(cells[layout.item])  # as in the data, spaces and all
        if not item.strip():
            raise Unfit(Reason("labels.empty_item", column=layout.item))
        rater = self._text(cells[layout.rater]).strip() if layout.rater else ""
        draw = _draw(self._text(cells[layout.draw])) if layout.draw else ""
        created = self._text(cells[layout.created]).strip() if layout.created else ""
        comment = self._text(cells[layout.comment]).strip() if layout.comment else ""
        for criterion, cell in self._values(layout, cells):
            value = self._value(criterion, cell)
            self._claim(place, (item, rater, criterion))
            yield Label(item, rater, criterion, value, draw, created, comment)

    def _layout(self, columns: tuple[str, ...]) -> LabelLayout:
        known = self._layouts.get(columns)
        if known is None:
            known = self._layouts[columns] = layout_of(columns, self._names)
        return known

    def _values(self, layout: LabelLayout, cells: Cells) -> Iterator[tuple[str, object]]:
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
        name = self._names.get(normal_name(written))
        if name is None:
            close = get_close_matches(normal_name(written), self._names, n=1, cutoff=0.8)
            if close:
                meant = self._names[close[0]]
                raise Unfit(Reason("labels.criterion", name=written, close=meant))
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
            wrong = Reason("labels.wrong_value", criterion=criterion, why=why.reason)
            raise Unfit(wrong) from None
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
            at: dict[str, Any] = {"criterion": criterion, "place": self._data.place(first)}
            if rater:
                raise Unfit(Reason("labels.twice", rater=rater, item=item, **at))
            raise Unfit(Reason("labels.twice_unnamed", item=item, **at))


def _draw(written: str) -> Draw:
    draw = written.strip().casefold()
    if draw in DRAWS or stratum_of(draw):
        return draw
    raise Unfit(Reason("labels.draw", draw=written))


# A column `id` may number the labels, so that `item` is asked for first.
_ITEM = ("item", "item_id", *ID_COLUMNS)
_RATER = ("rater", "annotator")
_COMMENT = ("comment", "comments", "note")
_CRITERION, _VALUE, _DRAW, _CREATED = "criterion", "value", "draw", "created"

# Exports put an apostrophe before what a spreadsheet would run as a formula.
_COVERED = re.compile(r"""'(?='*[\t\r\n]|[\s"'\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠])""")


class Unfit(ValueError):  # noqa: N818 - caught by the reader of the file, which names the row
    """The row is no label; the message says why and what to do."""


class WrongHeader(Unfit):
    """It is the fault of the columns, so that every row with the same ones is unfit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLayout:
    """`wide` maps columns to criteria; `long` is the columns of criterion and value, if any."""

    item: str
    rater: str | None
    draw: str | None
    created: str | None
    comment: str | None
    wide: Mapping[str, str]
    long: tuple[str, str] | None


def layout_of(columns: Sequence[str], criteria: Mapping[str, str]) -> LabelLayout:
    """The columns by their meaning; `criteria` maps normal names to the judge's own.

    Raises WrongHeader when no column names the item, or two columns mean the same criterion.
    """
    named: dict[str, str] = {}
    wide: dict[str, str] = {}
    for column in columns:
        name = normal_name(column)
        if name in criteria:
            if name in named:
                raise WrongHeader(Reason("labels.same_criterion", a=named[name], b=column))
            wide[column] = criteria[name]
        named.setdefault(name, column)
    plain = {name: column for name, column in named.items() if name not in criteria}
    item = _first(plain, _ITEM)
    if item is None:
        raise WrongHeader(Reason("labels.no_item", columns=tuple(columns)))
    long = (plain[_CRITERION], plain[_VALUE]) if {_CRITERION, _VALUE} <= plain.keys() else None
    return LabelLayout(
        item=item,
        rater=_first(plain, _RATER),
        draw=plain.get(_DRAW),
        created=plain.get(_CREATED),
        comment=_first(plain, _COMMENT),
        wide=wide,
        long=long,
    )


def _first(columns: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((columns[name] for name in names if name in columns), None)


def uncovered(text: str) -> str:
    """The text as it was before an export kept it from being a formula."""
    return _COVERED.sub("", text, count=1) if _COVERED.match(text) else text
