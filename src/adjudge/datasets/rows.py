"""From data to items: checked as a whole first, then streamed."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice

from adjudge.core.item import Item
from adjudge.core.judge import Input
from adjudge.core.reason import Reason, reason_of
from adjudge.errors import DataError, UsageError

from .base import BadRow, Cells, Source
from .bounds import listed
from .columns import ColumnMapping, merge_inputs, nested_cells, wanted_names
from .in_memory import DataLike, opened_data
from .items import ItemReader, RowProblem, RowProblems, SeenIds, content_of
from .selectors import normal_name
from .sources import Data


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedData:
    """Data that was checked from end to end; `name` is how it was asked for.

    `rows` counts the usable rows and `bad_rows` the others, whose first five are `problems`.
    `hash` is a SHA-256 in hex over the usable rows in their order: ids, texts and extra columns.
    `set_aside` counts, by input, the rows with a text that would steer the judge if it were mapped.
    `encodings` has, by file, what it was read in where that is not UTF-8 and nobody had named it.
    """

    name: str
    columns: ColumnMapping
    rows: int
    bad_rows: int
    problems: tuple[RowProblem, ...]
    hash: str
    set_aside: Mapping[str, int]
    encodings: Mapping[str, str] = field(default_factory=dict)

    def items(self) -> Iterator[Item]:
        """The usable rows, read once more; DataError when they are not what was checked."""
        raise NotImplementedError

    def changed(self, why: Reason) -> DataError:
        return DataError(why.in_file(self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPlan(CheckedData):
    """Data that one process has checked, and reads."""

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
            if count == self.rows or mark_of(digest_of(item)) != self._marks[count]:
                raise self.changed(Reason("file.changed_at", place=item.place))
            count += 1
            yield item
        if count != self.rows:
            raise self.changed(Reason("file.changed_rows", count=count, rows=self.rows))


def scan(
    data: DataLike,
    judges_inputs: Sequence[Mapping[str, Input]],
    mapping: Mapping[str, str],
    limit: int | None = None,
    skip_bad: bool = False,
) -> DatasetPlan:
    """Reads all of the data before anything is spent and says what is wrong with it.

    `data` is a file, `file#part`, a folder, a pattern or `-` (see `sources`), or rows in memory
    (see `in_memory`). `judges_inputs` are the inputs of each judge; an input name is fed by one
    column for all of them. `mapping` is `--map`, input to column, `id` for the id column. `limit`
    takes the first rows only. Memory stays flat: some 60 bytes per row.

    Raises DataError that names the first bad rows, unless `skip_bad`; also then when no row is
    left. Raises UsageError for an unknown ending or a wrong mapping.
    """
    if limit is not None and limit < 1:
        raise UsageError(Reason("form.no_row", n=limit))
    inputs = merge_inputs(judges_inputs)
    opened = opened_data(data)
    bad = RowProblems()
    there = columns_in(opened, limit, wanted_names(inputs, mapping), bad)
    if not there.files:
        raise bad_rows_error(bad, opened.name, good=0)
    columns = there.planned(opened.name, inputs, mapping, skip_bad=skip_bad)
    return _checked(ItemReader(data=opened, columns=columns, inputs=inputs, limit=limit), skip_bad)


def columns_in(
    data: Data, limit: int | None, wanted: frozenset[str], bad: RowProblems
) -> FoundColumns:
    """The columns that the rows have, as far as they could feed an input."""
    columns = FoundColumns(wanted)
    for place, row in islice(data.rows(), limit):
        if isinstance(row, BadRow):
            bad.add(RowProblem(data.place(place), row.why))
            continue
        columns.add(data.source(place), row)
        if data.fixed_from(place):
            break
    return columns


def _checked(reader: ItemReader, skip_bad: bool) -> DatasetPlan:
    total = hashlib.sha256()
    marks = array("Q")
    problems = RowProblems()
    set_aside: Counter[str] = Counter()
    ids = SeenIds()
    for item in reader.read(ids):
        if isinstance(item, RowProblem):
            problems.add(item)
            continue
        if reader.columns.set_aside:
            set_aside.update(texts_set_aside(reader.columns, item))
        digest = digest_of(item)
        total.update(digest)
        marks.append(mark_of(digest))
    if not marks or (problems.count and not skip_bad):
        raise bad_rows_error(problems, reader.data.name, good=len(marks))
    return DatasetPlan(
        name=reader.data.name,
        columns=reader.columns,
        rows=len(marks),
        bad_rows=problems.count,
        problems=tuple(problems.first),
        hash=total.hexdigest(),
        set_aside=+set_aside,
        encodings=reader.data.encodings,
        _reader=reader,
        _marks=marks,
        _repeated=ids.repeated,
    )


def texts_set_aside(columns: ColumnMapping, item: Item) -> dict[str, int]:
    """By input, 1 where the item has a text that would steer the judge if it were mapped."""
    return {
        name: bool(str(item.extra.get(column) or "").strip())
        for name, column in columns.set_aside.items()
    }


def digest_of(item: Item) -> bytes:
    return hashlib.sha256(content_of(item)).digest()


def mark_of(digest: bytes) -> int:
    return int.from_bytes(digest[:8])


def bad_rows_error(problems: RowProblems, name: str, good: int) -> DataError:
    """What is wrong with data that has these and `good` usable rows."""
    if not problems.count:
        return DataError(Reason("file.no_rows").in_file(name))
    last = Reason("rows.mend") if good else Reason("rows.none_left")
    counts = {"bad": problems.count, "all": problems.count + good}
    why = Reason("rows.bad", rows=problems.entries(), last=last, **counts)
    return DataError(why.in_file(name))


ColumnNames = dict[str, None]  # in their order


class FoundColumns:
    """The columns of the first row of each file, and those of later rows that are `wanted`.

    Writers of JSON often leave out what is null, so the first row alone may lack an input that
    other rows have. `header` is the first row's columns and the wanted ones of all files, `nested`
    a cell of each column whose first value is an object or a list (see `nested_cells`).
    """

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        self.valued: set[str] = set()
        self.header: ColumnNames = {}
        self.files: dict[Source, ColumnNames] = {}
        self.nested: dict[str, object] = {}

    def add(self, source: Source, row: Cells) -> None:
        if not self.files:
            self.header = dict.fromkeys(row)
        self._extend(self.header, row)
        self._extend(self.files.setdefault(source, dict.fromkeys(row)), row)
        if len(self.valued) < len(self.header):
            fresh = {
                name: value
                for name, value in row.items()
                if name in self.header and name not in self.valued and value not in (None, [], {})
            }
            self.valued.update(fresh)
            self.nested |= nested_cells(fresh)

    def merge(self, later: FoundColumns) -> None:
        """Takes in what was found in files that come after these."""
        if not self.files:
            self.header = dict(later.header)
        else:
            wanted = {name: None for name in later.header if normal_name(name) in self._wanted}
            self.header |= {name: None for name in wanted if name not in self.header}
        self.files |= later.files
        fresh = later.valued & self.header.keys() - self.valued
        self.valued |= fresh
        self.nested |= {name: cell for name, cell in later.nested.items() if name in fresh}

    def planned(
        self,
        name: str,
        inputs: Mapping[str, Input],
        mapping: Mapping[str, str],
        *,
        skip_bad: bool,
    ) -> ColumnMapping:
        """Which column feeds which input; DataError, which names the data, where one lacks."""
        try:
            columns = ColumnMapping.plan(list(self.header), inputs, mapping, self.nested)
            if not skip_bad:
                self._check_files(columns, inputs)
        except DataError as error:
            raise DataError(reason_of(error).in_file(name)) from None
        return columns

    def _check_files(self, columns: ColumnMapping, inputs: Mapping[str, Input]) -> None:
        """Raises DataError where a file has no row with the column of a required input."""
        for source, names in self.files.items():
            for name, feed in columns.fields.items():
                if inputs[name].required and feed.column not in names and len(self.files) > 1:
                    fields = {"file": str(source), "column": feed.column, "name": name}
                    there = listed(names) if names else Reason("columns.no_columns")
                    raise DataError(Reason("columns.differ", names=there, **fields))

    def _extend(self, names: ColumnNames, row: Cells) -> None:
        if row.keys() - names:
            names |= {name: None for name in row if normal_name(name) in self._wanted}
