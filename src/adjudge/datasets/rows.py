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
from adjudge.errors import DataError, UsageError

from .base import BadRow
from .columns import Columns, merge_inputs, wanted_names
from .found_columns import FoundColumns
from .ids import Ids
from .items import ItemReader, Problem, content_of
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
    columns: Columns
    rows: int
    bad_rows: int
    problems: tuple[Problem, ...]
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
        for item in self._reader.read(Ids(self._repeated)):
            if isinstance(item, Problem):
                continue
            if count == self.rows or _mark(_digest(item)) != self._marks[count]:
                raise self._changed(f" ({item.place})")
            count += 1
            yield item
        if count != self.rows:
            raise self._changed(f" ({count} rows where there were {self.rows})")

    def _changed(self, where: str) -> DataError:
        return DataError(
            f"{self.name}: the file changed while it was in use{where}; "
            "start again, and leave it alone meanwhile"
        )


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
    stays flat: some 60 bytes a row.

    Raises DataError that names the first bad rows, unless `skip_bad`; also then when no row is
    left. Raises UsageError for an unknown ending or a wrong mapping.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: at least 1 row must be read")
    inputs = merge_inputs(judges_inputs)
    opened = open_data(str(data))
    found = _found(opened, limit, wanted_names(inputs, mapping))
    try:
        columns = Columns.plan(list(found.header), inputs, mapping, found.nested)
        if not skip_bad:
            found.check_files(columns, inputs)
    except DataError as error:
        raise DataError(f"{opened.name}: {error}") from None
    return _checked(ItemReader(data=opened, columns=columns, inputs=inputs, limit=limit), skip_bad)


def _found(data: Data, limit: int | None, wanted: frozenset[str]) -> FoundColumns:
    """The columns that the rows have, as far as they could feed an input."""
    found = FoundColumns(wanted)
    bad = _Problems()
    for place, row in islice(data.rows(), limit):
        if isinstance(row, BadRow):
            bad.add(Problem(data.place(place), row.why))
            continue
        found.add(data.source(place), row)
        if data.fixed_from(place):
            break
    if not found.files:
        raise bad.error(data.name, good=0)
    return found


def _checked(reader: ItemReader, skip_bad: bool) -> DatasetPlan:
    total = hashlib.sha256()
    marks = array("Q")
    found = _Problems()
    set_aside: Counter[str] = Counter()
    ids = Ids()
    for item in reader.read(ids):
        if isinstance(item, Problem):
            found.add(item)
            continue
        for name, column in reader.columns.set_aside.items():
            set_aside[name] += bool(str(item.extra.get(column) or "").strip())
        digest = _digest(item)
        total.update(digest)
        marks.append(_mark(digest))
    if not marks or (found.count and not skip_bad):
        raise found.error(reader.data.name, good=len(marks))
    return DatasetPlan(
        name=reader.data.name,
        columns=reader.columns,
        rows=len(marks),
        bad_rows=found.count,
        problems=tuple(found.first),
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
        self.first: list[Problem] = []

    def add(self, row: Problem) -> None:
        self.count += 1
        if self.count <= _NAMED:
            self.first.append(row)

    def error(self, name: str, good: int) -> DataError:
        """What is wrong with data that has these and `good` usable rows."""
        if not self.count:
            return DataError(f"{name}: there are no rows; write at least one")
        lines = [f"{name}: {self.count} of {self.count + good} rows are bad"]
        lines += [f"  {row.place}: {row.why}" for row in self.first]
        if self.count > len(self.first):
            lines.append(f"  and {self.count - len(self.first)} more")
        lines.append(
            "Mend them, or go on without them: --skip-bad-rows" if good else "No usable row is left"
        )
        return DataError("\n".join(lines))
