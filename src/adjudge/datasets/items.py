"""A row becomes an Item."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

import orjson

from adjudge.core.checklist import NoChecklist, read_checklist
from adjudge.core.item import Item
from adjudge.core.judge import Input
from adjudge.core.reason import Reason, reason_of
from adjudge.errors import DataError

from .base import BadRow, CellError, Cells, Format, Source, UnreadableCell
from .columns import ColumnMapping, NestedOnly, nested_cells
from .conversations import ChatTurn, conversation_cell, conversation_text, trace_cell
from .selectors import Selector
from .sources import Data

_PLANS = 100  # sets of columns that are remembered
_NAMED = 5  # bad rows that are named one by one
_SINGLE = frozenset({str, int, float, bool, type(None)})  # what most cells are


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row that cannot be used: where it stands, and why with what to do about it."""

    place: Reason
    why: Reason


class RowProblems:
    """All bad rows are counted, the first few kept."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[RowProblem] = []

    def add(self, row: RowProblem) -> None:
        self.count += 1
        if self.count <= _NAMED:
            self.first.append(row)

    def extend(self, later: RowProblems) -> None:
        """Those of rows that come after these."""
        self.count += later.count
        self.first += later.first[: _NAMED - len(self.first)]

    def entries(self) -> tuple[Reason, ...]:
        """The first ones, and how many more there are."""
        rows = (Reason("place.at", place=row.place, why=row.why) for row in self.first)
        entries = [Reason("rows.entry", why=row) for row in rows]
        if self.count > _NAMED:
            entries.append(Reason("rows.more", n=self.count - _NAMED))
        return tuple(entries)


def text_of(value: object, *, parted: bool = False) -> str | None:
    """A cell as text; None for null.

    Numbers as in JSON, conversations as people read them, other lists and objects as compact JSON;
    conversations too where they are `parted`, since the prompt shows parts of them.
    Raises CellError for what cannot be read.
    """
    if value is None or type(value) is str:  # most cells; UnreadableCell is a str of its own kind
        return value
    if type(value) is int:  # most ids
        return str(value)
    if isinstance(value, UnreadableCell):
        raise CellError(Reason("cell.unreadable", value=str(value), remedy=value.remedy))
    if isinstance(value, str):
        return value
    conversation = None if parted else conversation_text(value)
    return orjson.dumps(value).decode() if conversation is None else conversation


def content_of(item: Item) -> bytes:
    """All that the data says about the item, in one form for equal content."""
    return orjson.dumps([item.id, item.fields, item.extra], option=orjson.OPT_SORT_KEYS)


def single_item(
    cells: Mapping[str, object],
    inputs: Mapping[str, Input],
    mapping: Mapping[str, str] | None = None,
) -> Item:
    """The item that a row alone stands for; raises DataError as a file with only that row would."""
    return SingleItems(inputs, mapping or {}).item(cells)


class SingleItems:
    """Rows that come one at a time; for those with the same columns these are planned once."""

    def __init__(self, inputs: Mapping[str, Input], mapping: Mapping[str, str]) -> None:
        self._inputs, self._mapping = inputs, mapping
        self._plans: dict[tuple[str, ...], ColumnMapping] = {}

    def item(self, cells: Mapping[str, object]) -> Item:
        """As `single_item`."""
        only = Format(endings=(), read=lambda _: iter([(1, dict(cells))]), fixed_columns=True)
        data = Data("item", ((Source(Path("item")), only),))
        reader = ItemReader(data=data, columns=self._columns(cells), inputs=self._inputs)
        (item,) = reader.read(SeenIds())
        if isinstance(item, RowProblem):
            raise DataError(item.why)
        return item

    def _columns(self, cells: Mapping[str, object]) -> ColumnMapping:
        header, nested = tuple(cells), nested_cells(cells)
        if not nested and header in self._plans:
            return self._plans[header]
        try:
            plan = ColumnMapping.plan(
                list(cells), self._inputs, self._mapping, nested, explicit=True
            )
        except NestedOnly:
            raise
        except DataError:
            wanted = ", ".join(repr(name) for name, spec in self._inputs.items() if spec.required)
            names = ", ".join(cells) or "none"
            raise DataError(Reason("columns.fields", wanted=wanted, given=names)) from None
        if not nested and len(self._plans) < _PLANS:
            self._plans[header] = plan
        return plan


class Ids(Protocol):
    """Who knows which ids are taken: see `SeenIds`."""

    def claim(self, name: str, line: int) -> int | None: ...
    def make(self, content: bytes, line: int) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemReader:
    """Reads the data from its beginning each time that it is asked to, to the same end each time.

    A row whose id an earlier row has, or that lacks a required input, is a Problem. A row without
    an id gets one from its content; the second of two equal rows gets `-2` behind its id. A null is
    as good as nothing: writers differ in whether they leave it out.
    `limit` counts the rows of the data, good and bad alike; None reads all.
    """

    data: Data
    columns: ColumnMapping
    inputs: Mapping[str, Input]
    limit: int | None = None

    def read(self, ids: Ids) -> Iterator[Item | RowProblem]:
        for place, row in islice(self.data.rows(), self.limit):
            if isinstance(row, BadRow):
                yield RowProblem(self.data.place(place), row.why)
                continue
            try:
                item: Item | RowProblem = self._item(place, row, ids)
            except CellError as error:
                item = RowProblem(self.data.place(place), reason_of(error))
            yield item

    def _item(self, place: int, row: Cells, ids: Ids) -> Item:
        _check_depth(row)
        fields: dict[str, str] = {}
        for name, spec in self.inputs.items():
            text = self._text(spec, row)
            if text is not None:
                fields[name] = text
            elif spec.required:
                raise CellError(self._missing(name, row))
        content = {column: value for column, value in row.items() if value is not None}
        key = self._key(content)
        if key is None:
            key = ids.make(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), place)
        elif "\0" in key:  # no server keeps it
            raise CellError(Reason("rows.nul_id", id=key))
        elif (earlier := ids.claim(key, place)) is not None:
            raise CellError(Reason("rows.same_id", id=key, place=self.data.place(earlier)))
        used = self.columns.used
        extra = {column: value for column, value in content.items() if column not in used}
        return Item(id=key, fields=fields, extra=extra, place=self.data.full_place(place))

    def _key(self, content: Cells) -> str | None:
        """The row's own id, taken out of its content; None where it has none."""
        if self.columns.id is None:
            return None
        key = _cell_text(None, self.columns.id, content)
        if self.columns.id.whole:
            content.pop(self.columns.id.column, None)
        return key if key is not None and key.strip() else None

    def _text(self, spec: Input, cells: Cells) -> str | None:
        """The input's text, None when there is none; only a judged text may be empty."""
        feed = self.columns.fields.get(spec.name)
        if feed is None:
            return None
        text = _cell_text(spec.name, feed, cells, spec)
        if spec.checklist and text is not None and text.strip():
            _check_list(spec.name, feed, text)
        return text if text is None or spec.judged or text.strip() else None

    def _missing(self, name: str, cells: Cells) -> Reason:
        feed = self.columns.fields[name]
        column = feed.column
        if column not in cells:
            return Reason("rows.missing_column", name=name, column=column)
        if str(feed) != column:
            return Reason("rows.no_path", name=name, path=str(feed))
        if cells[column] is None:
            if self.inputs[name].judged:
                return Reason("rows.null_judged", name=name, column=column)
            return Reason("rows.null_cell", name=name, column=column)
        return Reason("rows.empty_cell", name=name, column=column)


def _check_list(name: str, feed: Selector | ChatTurn, text: str) -> None:
    """CellError for a list that cannot be asked."""
    try:
        read_checklist(text)
    except NoChecklist as error:
        why = Reason("checklist.cell", name=name, column=str(feed), why=error.reason)
        raise CellError(why) from None


def _check_depth(content: Cells) -> None:
    """CellError for what could be read, but not written again with a little around it."""
    for column, value in content.items():
        if type(value) not in _SINGLE and isinstance(value, Mapping | list):
            try:
                orjson.dumps([[[[[[[[value]]]]]]]])
            except TypeError:
                raise CellError(Reason("cell.too_deep", column=column)) from None


def _cell_text(
    field: str | None, feed: Selector | ChatTurn, cells: Cells, spec: Input | None = None
) -> str | None:
    """The text that feeds the field, or the id; CellError names that."""
    try:
        value = feed.of(cells)
        if spec is not None and spec.type == "conversation":
            return conversation_cell(value, spec)
        if spec is not None and spec.type == "trace":
            return trace_cell(value)
        return text_of(value, parted=spec is not None and (spec.parted or spec.type == "list"))
    except CellError as error:
        why = reason_of(error)
        if not field:
            raise CellError(Reason("cell.id", feed=str(feed), why=why)) from None
        raise CellError(Reason("cell.field", name=field, feed=str(feed), why=why)) from None


def id_of(content: bytes) -> str:
    """The id of a row that has none: sixteen hex digits over its content."""
    return hashlib.sha256(content).hexdigest()[:16]


_WORD = (1 << 64) - 1


class SeenIds:
    """A set of ids that remembers 64-bit hashes and the numbers of their rows, not the texts.

    An open-addressing table, 24 to 48 bytes per id (a set of texts takes over 100). Two of a
    million different ids share a hash with a chance of 3 in 10^8.

    `repeated` is what an earlier reading of the same rows has found to come more than once: then
    only those are remembered, and all others are new.
    """

    def __init__(self, repeated: Set[int] | None = None) -> None:
        self.repeated: set[int] = set()  # hashes of ids that were taken when they were claimed
        self._remembered = repeated
        self._hashes = array("Q", bytes(8 * 1024))
        self._lines = array("I", bytes(4 * 1024))
        self._count = 0
        self._repeats: dict[str, int] = {}

    def claim(self, name: str, line: int) -> int | None:
        """Takes the id for the row on `line`; the line of the earlier row when it is taken.

        Lines are numbers below 2^32 that mean something to the caller.
        """
        key = hash(name) & _WORD or 1  # 0 marks a free place
        if self._remembered is not None and key not in self._remembered:
            return None
        place = self._find(key)
        if self._hashes[place]:
            self.repeated.add(key)
            return self._lines[place]
        self._hashes[place], self._lines[place] = key, line
        self._count += 1
        if self._count * 2 > len(self._hashes):
            self._grow()
        return None

    def make(self, content: bytes, line: int) -> str:
        """An id for a row without one: sixteen hex digits over its content.

        Further rows of the same content get `-2`, `-3` … behind it.
        """
        base = id_of(content)
        if base not in self._repeats and self.claim(base, line) is None:
            return base
        number = self._repeats.get(base, 1) + 1
        while self.claim(f"{base}-{number}", line) is not None:
            number += 1
        self._repeats[base] = number
        return f"{base}-{number}"

    def _find(self, key: int) -> int:
        hashes, mask = self._hashes, len(self._hashes) - 1
        place = key & mask
        while hashes[place] and hashes[place] != key:
            place = (place + 1) & mask
        return place

    def _grow(self) -> None:
        hashes, lines = self._hashes, self._lines
        self._hashes = array("Q", bytes(16 * len(hashes)))
        self._lines = array("I", bytes(8 * len(lines)))
        for key, line in zip(hashes, lines, strict=True):
            if key:
                place = self._find(key)
                self._hashes[place], self._lines[place] = key, line
