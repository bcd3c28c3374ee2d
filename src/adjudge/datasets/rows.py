"""From a data file to items: checked as a whole first, then streamed."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from adjudge.core.item import Item
from adjudge.core.judge import Input
from adjudge.errors import DataError, UsageError

from .base import BadRow, Format
from .columns import Columns, merge_inputs, wanted_names
from .formats import format_for
from .items import ItemReader, content_of
from .names import normal
from .textfile import check_file

_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPlan:
    """A file that was checked from end to end.

    `rows` counts the usable rows and `bad_rows` the others, whose first five are `problems`.
    `hash` is a SHA-256 in hex over the usable rows in their order: ids, texts and extra columns.
    """

    path: Path
    columns: Columns
    rows: int
    bad_rows: int
    problems: tuple[BadRow, ...]
    hash: str
    _reader: ItemReader = field(repr=False)
    _marks: array[int] = field(repr=False)

    def items(self) -> Iterator[Item]:
        """The usable rows, streamed from the file once more.

        Each is compared with what was checked before it is given out; DataError when the file
        has changed since.
        """
        count = 0
        for item in self._reader:
            if isinstance(item, BadRow):
                continue
            if count == self.rows or _mark(_digest(item)) != self._marks[count]:
                raise self._changed(f" ({item.place})")
            count += 1
            yield item
        if count != self.rows:
            raise self._changed(f" ({count} rows where there were {self.rows})")

    def _changed(self, where: str) -> DataError:
        return DataError(
            f"{self.path}: the file changed while it was in use{where}; "
            "start again, and leave it alone meanwhile"
        )


def scan(
    path: Path,
    judges_inputs: Sequence[Mapping[str, Input]],
    mapping: Mapping[str, str],
    limit: int | None = None,
    skip_bad: bool = False,
) -> DatasetPlan:
    """Reads the whole file before anything is spent and says what is wrong with it.

    `judges_inputs` are the inputs of each judge; an input name is fed by one column for all of
    them. `mapping` is `--map`, input to column, `id` for the id column. `limit` takes the first
    rows of the file only. Memory stays flat: some 60 bytes a row.

    Raises DataError that names the first bad rows, unless `skip_bad`; also then when no row is
    left. Raises UsageError for an unknown ending or a wrong mapping.
    """
    check_file(path)
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: at least 1 row must be read")
    inputs = merge_inputs(judges_inputs)
    known = format_for(path)
    header = _header(path, known, limit, wanted_names(inputs, mapping))
    try:
        columns = Columns.plan(header, inputs, mapping)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    reader = ItemReader(path=path, format=known, columns=columns, inputs=inputs, limit=limit)
    return _checked(reader, skip_bad)


def _header(path: Path, known: Format, limit: int | None, wanted: frozenset[str]) -> list[str]:
    """The columns of the first good row, and those of later rows that could feed an input.

    Writers of JSON often leave out what is null, so the first row alone may lack an input that
    other rows have.
    """
    header: dict[str, None] | None = None
    found = _Problems()
    for row in islice(known.read(path), limit):
        if isinstance(row, BadRow):
            found.add(row)
        elif header is None:
            header = dict.fromkeys(row[1])
            if known.fixed_columns:
                break
        elif row[1].keys() - header:
            header |= {name: None for name in row[1] if normal(name) in wanted}
    if header is None:
        raise found.error(path, good=0)
    return list(header)


def _checked(reader: ItemReader, skip_bad: bool) -> DatasetPlan:
    total = hashlib.sha256()
    marks = array("Q")
    found = _Problems()
    for item in reader:
        if isinstance(item, BadRow):
            found.add(item)
            continue
        digest = _digest(item)
        total.update(digest)
        marks.append(_mark(digest))
    if not marks or (found.count and not skip_bad):
        raise found.error(reader.path, good=len(marks))
    return DatasetPlan(
        path=reader.path,
        columns=reader.columns,
        rows=len(marks),
        bad_rows=found.count,
        problems=tuple(found.first),
        hash=total.hexdigest(),
        _reader=reader,
        _marks=marks,
    )


def _digest(item: Item) -> bytes:
    return hashlib.sha256(content_of(item)).digest()


def _mark(digest: bytes) -> int:
    return int.from_bytes(digest[:8])


class _Problems:
    """All bad rows are counted, the first few kept."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[BadRow] = []

    def add(self, row: BadRow) -> None:
        self.count += 1
        if self.count <= _NAMED:
            self.first.append(row)

    def error(self, path: Path, good: int) -> DataError:
        """What is wrong with the file that has these and `good` usable rows."""
        if not self.count:
            return DataError(f"{path}: there are no rows; write at least one")
        lines = [f"{path}: {self.count} of {self.count + good} rows are bad"]
        lines += [f"  line {row.line}: {row.why}" for row in self.first]
        if self.count > len(self.first):
            lines.append(f"  and {self.count - len(self.first)} more")
        lines.append(
            "Mend them, or go on without them: --skip-bad-rows" if good else "No usable row is left"
        )
        return DataError("\n".join(lines))
