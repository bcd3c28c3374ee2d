"""Data that many processes read, a file each: checked and named as one process would.

What is known of a file alone is found out there; what rests on all of them (which column feeds
which input, whose id came before) is settled here. The caller says how the work is spread.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, Protocol

from adjudge.core.item import Item
from adjudge.core.judge import Input
from adjudge.core.reason import Reason
from adjudge.errors import DataError, UsageError

from .columns import ColumnMapping, merge_inputs, wanted_names
from .files import DataFile, encodings_of, opened_file
from .items import ItemReader, RowProblem, RowProblems, id_of
from .rows import (
    CheckedData,
    FoundColumns,
    bad_rows_error,
    columns_in,
    digest_of,
    mark_of,
    texts_set_aside,
)
from .sources import Data

_CHUNK = 4096  # rows that are reported at once


class SpreadWork(Protocol):
    """Calls the function for every file, somewhere; all that it yields, in the order of files."""

    def __call__(
        self, function: Callable[[DataFile], Iterator[Any]], files: Sequence[DataFile]
    ) -> Iterator[Any]: ...


@dataclass(frozen=True, slots=True)
class Settled:
    """What other rows make of the rows of one file, by their lines: the place of the earlier row
    that has the same id, and the ids of rows that have none and are not the first of their kind."""

    repeats: Mapping[int, Reason] = field(default_factory=dict)
    ids: Mapping[int, str] = field(default_factory=dict)


_NOTHING = Settled()


class _FileIds:
    """The ids of one file, as settled; `name` is the last one, as far as the row itself tells."""

    def __init__(self, settled: Settled, data: Data) -> None:
        self._settled, self._data = settled, data
        self.name, self.line, self.is_made = "", 0, False

    @property
    def place(self) -> Reason:
        return self._data.place(self.line)

    def claim(self, name: str, line: int) -> int | None:
        self.name, self.line, self.is_made = name, line, False
        return line if line in self._settled.repeats else None

    def make(self, content: bytes, line: int) -> str:
        self.name, self.line, self.is_made = id_of(content), line, True
        return self._settled.ids.get(line, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCheck:
    """How the rows of every file become items."""

    columns: ColumnMapping
    inputs: Mapping[str, Input]
    settled: Mapping[int, Settled]

    def rows(self, file: DataFile) -> Iterator[tuple[_FileIds, Item | RowProblem]]:
        settled = self.settled.get(file.number, _NOTHING)
        with opened_file(file) as data:
            ids = _FileIds(settled, data)
            reader = ItemReader(
                data=data, columns=self.columns, inputs=self.inputs, limit=file.most
            )
            for row in reader.read(ids):
                if isinstance(row, RowProblem) and row.why.code == "rows.same_id":
                    why = Reason("rows.same_id", id=ids.name, place=settled.repeats[ids.line])
                    yield ids, RowProblem(row.place, why)
                else:
                    yield ids, row


class _Chunk(NamedTuple):
    """Of some usable rows of a file: 64 bits of each id, and the digests."""

    file: int
    ids: array[int]
    digests: bytes


class _Summary(NamedTuple):
    """Of a whole file."""

    problems: RowProblems
    set_aside: Counter[str]


class _Repeat(NamedTuple):
    """A row whose id others may have too."""

    file: int
    line: int
    name: str
    is_made: bool
    place: Reason


def _find_columns(wanted: frozenset[str], file: DataFile) -> Iterator[Any]:
    bad = RowProblems()
    with opened_file(file) as data:
        yield columns_in(data, file.most, wanted, bad), bad


def _count(most: int, file: DataFile) -> Iterator[int]:
    with opened_file(file) as data:
        yield sum(1 for _ in islice(data.rows(), most))


def _check(check: FileCheck, file: DataFile) -> Iterator[_Chunk | _Summary]:
    problems, set_aside = RowProblems(), Counter[str]()
    ids, digests = array("Q"), bytearray()
    for known, item in check.rows(file):
        if isinstance(item, RowProblem):
            problems.add(item)
            continue
        set_aside.update(texts_set_aside(check.columns, item))
        ids.append(_word(known.name))
        digests += digest_of(item)
        if len(ids) == _CHUNK:
            yield _Chunk(file.number, ids, bytes(digests))
            ids, digests = array("Q"), bytearray()
    yield _Chunk(file.number, ids, bytes(digests))
    yield _Summary(problems, set_aside)


def _find_repeats(check: FileCheck, words: Set[int], file: DataFile) -> Iterator[_Repeat]:
    for ids, item in check.rows(file):
        if isinstance(item, Item) and _word(ids.name) in words:
            yield _Repeat(file.number, ids.line, ids.name, ids.is_made, ids.place)


def _word(name: str) -> int:
    """64 bits of an id, the same in every process."""
    code = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=8)
    return int.from_bytes(code.digest())


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """A file that was checked, for its next reader. `first` is the position of its first
    item, `marks` are of its items, eight bytes each; `name` is how the data was asked for."""

    name: str
    file: DataFile
    check: FileCheck
    first: int
    marks: array[int]

    def items(self) -> Iterator[tuple[int, Item]]:
        """With their positions. DataError before an item is given out that is not as checked."""
        count = 0
        for _, item in self.check.rows(self.file):
            if isinstance(item, RowProblem):
                continue
            if count == len(self.marks) or mark_of(digest_of(item)) != self.marks[count]:
                raise self._changed(Reason("file.changed_at", place=item.place))
            yield self.first + count, item
            count += 1
        if count != len(self.marks):
            raise self._changed(Reason("file.changed_rows", count=count, rows=len(self.marks)))

    def _changed(self, why: Reason) -> DataError:
        return DataError(why.in_file(self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class PartedData(CheckedData):
    """Data that was checked file by file."""

    files: tuple[CheckedFile, ...] = field(repr=False)

    def items(self) -> Iterator[Item]:
        for file in self.files:
            yield from (row[1] for row in file.items())


def scan_parts(  # noqa: PLR0913 - those of `scan`, and how the work is spread
    name: str,
    files: Sequence[DataFile],
    spread: SpreadWork,
    judges_inputs: Sequence[Mapping[str, Input]],
    mapping: Mapping[str, str],
    *,
    limit: int | None = None,
    skip_bad: bool = False,
) -> PartedData:
    """As `scan`, to the same end: columns, ids, positions, problems and hash.

    40 bytes per row come back from each reader, and 16 of them stay.
    """
    if limit is not None:
        if limit < 1:
            raise UsageError(Reason("form.no_row", n=limit))
        files = _limited(files, limit, spread)
    inputs = merge_inputs(judges_inputs)
    columns = _columns(name, files, spread, inputs, mapping, skip_bad=skip_bad)
    check = FileCheck(columns=columns, inputs=inputs, settled={})
    checked = _Checked(spread(partial(_check, check), files))
    if words := checked.repeated():
        having = [file for file in files if not words.isdisjoint(checked.ids[file.number])]
        repeats = spread(partial(_find_repeats, check, words), having)
        check = replace(check, settled=_settle(repeats))
        checked = _Checked(spread(partial(_check, check), files))
    rows = sum(map(len, checked.marks.values()))
    if not rows or (checked.problems.count and not skip_bad):
        raise bad_rows_error(checked.problems, name, good=rows)
    parts, first = [], 0
    for file in files:
        marks = checked.marks.get(file.number, array("Q"))
        settled = {file.number: check.settled.get(file.number, _NOTHING)}
        own = replace(check, settled=settled)
        parts.append(CheckedFile(name=name, file=file, check=own, first=first, marks=marks))
        first += len(marks)
    return PartedData(
        name=name,
        columns=columns,
        rows=rows,
        bad_rows=checked.problems.count,
        problems=tuple(checked.problems.first),
        hash=checked.total.hexdigest(),
        set_aside=+checked.set_aside,
        encodings=encodings_of(files),
        files=tuple(parts),
    )


def _limited(files: Sequence[DataFile], limit: int, spread: SpreadWork) -> list[DataFile]:
    """The files that have the first rows, each with how many of its rows that are."""
    kept = []
    for file, count in zip(files, spread(partial(_count, limit), files), strict=True):
        if limit:
            kept.append(replace(file, most=min(limit, count)))
            limit -= min(limit, count)
    return kept


def _columns(
    name: str,
    files: Sequence[DataFile],
    spread: SpreadWork,
    inputs: Mapping[str, Input],
    mapping: Mapping[str, str],
    *,
    skip_bad: bool,
) -> ColumnMapping:
    wanted = wanted_names(inputs, mapping)
    columns, problems = FoundColumns(wanted), RowProblems()
    for more, bad in spread(partial(_find_columns, wanted), files):
        columns.merge(more)
        problems.extend(bad)
    if not columns.files:
        raise bad_rows_error(problems, name, good=0)
    return columns.planned(name, inputs, mapping, skip_bad=skip_bad)


class _Checked:
    """What the files come to together."""

    def __init__(self, said: Iterator[_Chunk | _Summary]) -> None:
        self.total = hashlib.sha256()
        self.marks: dict[int, array[int]] = {}
        self.ids: dict[int, array[int]] = {}
        self.problems, self.set_aside = RowProblems(), Counter[str]()
        for part in said:
            if isinstance(part, _Summary):
                self.problems.extend(part.problems)
                self.set_aside.update(part.set_aside)
                continue
            self.total.update(part.digests)
            marks = self.marks.setdefault(part.file, array("Q"))
            every = range(0, len(part.digests), 32)
            marks.extend(mark_of(part.digests[at : at + 32]) for at in every)
            self.ids.setdefault(part.file, array("Q")).extend(part.ids)

    def repeated(self) -> set[int]:
        """The ids, in 64 bits, that come more than once."""
        import numpy as np  # noqa: PLC0415 - slow to load

        every = np.concatenate([np.frombuffer(ids, np.uint64) for ids in self.ids.values() if ids])
        every.sort()
        return {int(word) for word in every[1:][every[1:] == every[:-1]]}


def _settle(rows: Iterator[_Repeat]) -> dict[int, Settled]:
    """Goes through the rows in their order, as `SeenIds` would."""
    seen: dict[str, Reason] = {}
    numbers: dict[str, int] = {}
    settled: dict[int, tuple[dict[int, Reason], dict[int, str]]] = {}
    for file, line, name, is_made, place in rows:
        repeats, ids = settled.setdefault(file, ({}, {}))
        if name not in seen:
            seen[name] = place
        elif not is_made:
            repeats[line] = seen[name]
        else:
            number = numbers.get(name, 1) + 1
            while f"{name}-{number}" in seen:
                number += 1
            numbers[name] = number
            ids[line] = f"{name}-{number}"
            seen[ids[line]] = place
    return {file: Settled(*both) for file, both in settled.items()}
