"""A row becomes an Item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import orjson

from adjudge.core.item import Item
from adjudge.core.judge import Input
from adjudge.errors import DataError

from .base import BadRow, Cells, Format
from .columns import Columns
from .ids import Ids


def text_of(value: object) -> str | None:
    """A cell as text: numbers as in JSON, lists and objects as compact JSON; None for null."""
    if value is None or isinstance(value, str):
        return value
    return orjson.dumps(value).decode()


def content_of(item: Item) -> bytes:
    """All that the data says about the item, in one form for equal content."""
    return orjson.dumps([item.id, item.fields, item.extra], option=orjson.OPT_SORT_KEYS)


def single_item(
    cells: Mapping[str, object],
    inputs: Mapping[str, Input],
    mapping: Mapping[str, str] | None = None,
) -> Item:
    """The item that a row alone stands for; raises DataError as a file with only that row would."""
    try:
        columns = Columns.plan(list(cells), inputs, mapping or {})
    except DataError:
        wanted = ", ".join(repr(name) for name, spec in inputs.items() if spec.required)
        given = ", ".join(cells) or "none"
        raise DataError(f"Fields are missing: the judge needs {wanted}; given: {given}.") from None
    only = Format(endings=(), read=lambda _: iter([(1, dict(cells))]), fixed_columns=True)
    reader = ItemReader(path=Path("item"), format=only, columns=columns, inputs=inputs)
    (item,) = reader
    if isinstance(item, BadRow):
        raise DataError(item.why)
    return item


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemReader:
    """Reads a file from its beginning each time that it is iterated, to the same end each time.

    A row whose id an earlier row has, or that lacks a required input, is a BadRow. A row without
    an id gets one from its content; the second of two equal rows is told apart by `-2`.
    `limit` counts the rows of the file, good and bad alike; None reads all.
    """

    path: Path
    format: Format
    columns: Columns
    inputs: Mapping[str, Input]
    limit: int | None = None

    def __iter__(self) -> Iterator[Item | BadRow]:
        ids = Ids()
        for row in islice(self.format.read(self.path), self.limit):
            yield row if isinstance(row, BadRow) else self._item(*row, ids)

    def _item(self, line: int, cells: Cells, ids: Ids) -> Item | BadRow:
        fields: dict[str, str] = {}
        for name, spec in self.inputs.items():
            text = self._text(spec, cells)
            if text is not None:
                fields[name] = text
            elif spec.required:
                return BadRow(line, self._missing(name, cells))
        content = dict(cells)
        key = text_of(content.pop(self.columns.id, None)) if self.columns.id else None
        if key is None or not key.strip():
            key = ids.make(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), line)
        elif (earlier := ids.claim(key, line)) is not None:
            return BadRow(
                line,
                f"the id {key!r} is taken by line {earlier}; "
                "give each row its own, or name another column: --map id=COLUMN",
            )
        used = set(self.columns.fields.values())
        extra = {column: value for column, value in content.items() if column not in used}
        return Item(id=key, fields=fields, extra=extra, place=f"{self.path.name}, line {line}")

    def _text(self, spec: Input, cells: Cells) -> str | None:
        """The input's text, None when there is none; only a judged text may be empty."""
        column = self.columns.fields.get(spec.name)
        text = text_of(cells.get(column)) if column is not None else None
        return text if text is None or spec.judged or text.strip() else None

    def _missing(self, name: str, cells: Cells) -> str:
        column = self.columns.fields[name]
        state = "is not there" if column not in cells else "is empty"
        return f"the required field {name!r} is missing: column {column!r} {state}; fill it in"
