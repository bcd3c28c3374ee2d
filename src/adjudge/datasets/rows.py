"""From data to items: checked as a whole first, then streamed."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from adjudge.core.item import Item
from adjudge.core.judge import Input
from adjudge.core.reason import Reason, reason_of
from adjudge.errors import DataError, UsageError

from .base import BadRow, Cells, Source
from .bounds import listed
from .columns import ColumnMapping, merge_inputs, nested_cells, wanted_names
from .items import ItemReader, RowProblem, SeenIds, content_of
from .selectors import normal
from .sources import Data, open_data

_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPlan:
    """Data that was checked from end to end; `name` is how it was asked for.

    `rows` counts the usable rows and `bad_rows` the others, whose first five are `problems`.
    `hash` is a SHA-256 in hex over the usable rows in their order: ids, texts and extra columns.
    `set_aside` counts, by input, the rows with a text that would steer the judge, were it mapped.
    """

    name: str
    columns: ColumnMapping
    rows: int
    bad_rows: int
    problems: tuple[RowProblem, ...]
    hash: str
    set_aside: Mapping[str, int]
    _reader: ItemReader = field(repr=False)
    _marks: array[int] = field(repr=False)
    _repeated: Set[int] = field(repr=False)

    def items(self) -> Iterator[Item]:
        """The usable rows, streamed from the file once more.

        Each is compared with what was checked before it is given out; DataError when the file
        has changed since. A run is in the midst of this for hours, so nothing is kept of a row.
        """
        count = 0
        for item in self._reader.read(SeenIds(self._repeated)):
            if isinstance(item, RowProblem):
                continue
            if count == self.rows or _mark(_digest(item)) != self._marks[count]:
                raise self._changed(Reason("file.changed_at", place=item.place))
            count += 1
            yield item
        if count != self.rows:
            raise self._changed(Reason("file.changed_rows", count=count, rows=self.rows))

    def _changed(self, why: Reason) -> DataError:
        return DataError(why.in_file(self.name))


def scan(
    data: str | Path,
    judges_inputs: Sequence[Mapping[str, Input]],
    mapping: Mapping[str, str],
    limit: int | None = None,
    skip_bad: bool = False,
) -> DatasetPlan:
    """Reads all of the data before anything is spent and says what is wrong with it.

    `data` is a file, `file#part`, a folder, a pattern or `-` (see `sources`). `judges_inputs` are
    the inputs of each judge; an input name is fed by one column for all of them. `mapping` is
    `--map`, input to column, `id` for the id column. `limit` takes the first rows only. Memory
    stays flat: some 60 bytes per row.

    Raises DataError that names the first bad rows, unless `skip_bad`; also then when no row is
    left. Raises UsageError for an unknown ending or a wrong mapping.
    """
    if limit is not None and limit < 1:
        raise UsageError(Reason("form.no_row", n=limit))
    inputs = merge_inputs(judges_inputs)
    opened = open_data(str(data))
    there = _columns(opened, limit, wanted_names(inputs, mapping))
    try:
        columns = ColumnMapping.plan(list(there.header), inputs, mapping, there.nested)
        if not skip_bad:
            there.check_files(columns, inputs)
    except DataError as error:
        why = reason_of(error)
        raise DataError(Reason("place.file", file=opened.name, why=why)) from None
    return _checked(ItemReader(data=opened, columns=columns, inputs=inputs, limit=limit), skip_bad)


def _columns(data: Data, limit: int | None, wanted: frozenset[str]) -> FoundColumns:
    """The columns that the rows have, as far as they could feed an input."""
    columns = FoundColumns(wanted)
    bad = _Problems()
    for place, row in islice(data.rows(), limit):
        if isinstance(row, BadRow):
            bad.add(RowProblem(data.place(place), row.why))
            continue
        columns.add(data.source(place), row)
        if data.fixed_from(place):
            break
    if not columns.files:
        raise bad.error(data.name, good=0)
    return columns


def _checked(reader: ItemReader, skip_bad: bool) -> DatasetPlan:
    total = hashlib.sha256()
    marks = array("Q")
    problems = _Problems()
    set_aside: Counter[str] = Counter()
    ids = SeenIds()
    for item in reader.read(ids):
        if isinstance(item, RowProblem):
            problems.add(item)
            continue
        for name, column in reader.columns.set_aside.items():
            set_aside[name] += bool(str(item.extra.get(column) or "").strip())
        digest = _digest(item)
        total.update(digest)
        marks.append(_mark(digest))
    if not marks or (problems.count and not skip_bad):
        raise problems.error(reader.data.name, good=len(marks))
    return DatasetPlan(
        name=reader.data.name,
        columns=reader.columns,
        rows=len(marks),
        bad_rows=problems.count,
        problems=tuple(problems.first),
        hash=total.hexdigest(),
        set_aside=+set_aside,
        _reader=reader,
        _marks=marks,
        _repeated=ids.repeated,
    )


def _digest(item: Item) -> bytes:
    return hashlib.sha256(content_of(item)).digest()


def _mark(digest: bytes) -> int:
    return int.from_bytes(digest[:8])


class _Problems:
    """All bad rows are counted, the first few kept."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[RowProblem] = []

    def add(self, row: RowProblem) -> None:
        self.count += 1
        if self.count <= _NAMED:
            self.first.append(row)

    def error(self, name: str, good: int) -> DataError:
        """What is wrong with data that has these and `good` usable rows."""
        if not self.count:
            return DataError(Reason("place.file", file=name, why=Reason("file.no_rows")))
        rows = [
            Reason("rows.entry", why=Reason("place.at", place=row.place, why=row.why))
            for row in self.first
        ]
        if self.count > len(self.first):
            rows.append(Reason("rows.more", n=self.count - len(self.first)))
        last = Reason("rows.mend") if good else Reason("rows.none_left")
        counts = {"bad": self.count, "all": self.count + good}
        why = Reason("rows.bad", rows=tuple(rows), last=last, **counts)
        return DataError(Reason("place.file", file=name, why=why))


ColumnNames = dict[str, None]  # in their order


class FoundColumns:
    """The columns of the first row of each file, and those of later rows that are `wanted`.

    Writers of JSON often leave out what is null, so the first row alone may lack an input that
    other rows have. `header` is the first row's columns and the wanted ones of all files, `nested`
    a cell of each column whose first value is an object or a list (see `nested_cells`).
    """

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        self._valued: set[str] = set()
        self.header: ColumnNames = {}
        self.files: dict[Source, ColumnNames] = {}
        self.nested: dict[str, object] = {}

    def add(self, source: Source, row: Cells) -> None:
        if not self.files:
            self.header = dict.fromkeys(row)
        self._extend(self.header, row)
        self._extend(self.files.setdefault(source, dict.fromkeys(row)), row)
        if len(self._valued) < len(self.header):
            fresh = {
                name: value
                for name, value in row.items()
                if name in self.header and name not in self._valued and value not in (None, [], {})
            }
            self._valued.update(fresh)
            self.nested |= nested_cells(fresh)

    def check_files(self, columns: ColumnMapping, inputs: Mapping[str, Input]) -> None:
        """Raises DataError where a file has no row with the column of a required input."""
        for source, names in self.files.items():
            for name, feed in columns.fields.items():
                if inputs[name].required and feed.column not in names and len(self.files) > 1:
                    raise DataError(
                        Reason(
                            "columns.differ",
                            file=str(source),
                            names=_listed(names),
                            column=feed.column,
                            name=name,
                        )
                    )

    def _extend(self, names: ColumnNames, row: Cells) -> None:
        if row.keys() - names:
            names |= {name: None for name in row if normal(name) in self._wanted}


def _listed(names: ColumnNames) -> str:
    return listed(names, len(names)) if names else "no columns"
