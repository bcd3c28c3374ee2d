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

from .base import BadRow, Cells, Format, NoText, NotText, Source
from .columns import Columns, NestedOnly
from .conversations import Turn, conversation_text
from .ids import Ids
from .nested_columns import nested_cells
from .paths import Selector
from .sources import Data

_PLANS = 100  # sets of columns that are remembered


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that cannot be used: where it stands, and why with what to do about it."""

    place: str
    why: str


def text_of(value: object) -> str | None:
    """A cell as text; None for null.

    Numbers as in JSON, conversations as people read them, other lists and objects as compact JSON.
    Raises NotText for what cannot be read.
    """
    if isinstance(value, NoText):
        raise NotText(f"holds {value}; {value.remedy}")
    if value is None or isinstance(value, str):
        return value
    told = conversation_text(value)
    return orjson.dumps(value).decode() if told is None else told


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
        self._plans: dict[tuple[str, ...], Columns] = {}

    def item(self, cells: Mapping[str, object]) -> Item:
        """As `single_item`."""
        only = Format(endings=(), read=lambda _: iter([(1, dict(cells))]), fixed_columns=True)
        data = Data("item", ((Source(Path("item")), only),))
        reader = ItemReader(data=data, columns=self._columns(cells), inputs=self._inputs)
        (item,) = reader.read(Ids())
        if isinstance(item, Problem):
            raise DataError(item.why)
        return item

    def _columns(self, cells: Mapping[str, object]) -> Columns:
        header, nested = tuple(cells), nested_cells(cells)
        if not nested and header in self._plans:
            return self._plans[header]
        try:
            plan = Columns.plan(list(cells), self._inputs, self._mapping, nested, explicit=True)
        except NestedOnly:
            raise
        except DataError:
            wanted = ", ".join(repr(name) for name, spec in self._inputs.items() if spec.required)
            given = ", ".join(cells) or "none"
            raise DataError(
                f"Fields are missing: the judge needs {wanted}; given: {given}."
            ) from None
        if not nested and len(self._plans) < _PLANS:
            self._plans[header] = plan
        return plan


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemReader:
    """Reads the data from its beginning each time that it is asked to, to the same end each time.

    A row whose id an earlier row has, or that lacks a required input, is a Problem. A row without
    an id gets one from its content; the second of two equal rows is told apart by `-2`. A null is
    as good as nothing: writers differ in whether they leave it out.
    `limit` counts the rows of the data, good and bad alike; None reads all.
    """

    data: Data
    columns: Columns
    inputs: Mapping[str, Input]
    limit: int | None = None

    def read(self, ids: Ids) -> Iterator[Item | Problem]:
        for place, row in islice(self.data.rows(), self.limit):
            if isinstance(row, BadRow):
                yield Problem(self.data.place(place), row.why)
            else:
                yield self._checked(place, row, ids)

    def _checked(self, place: int, row: Cells, ids: Ids) -> Item | Problem:
        try:
            return self._item(place, row, ids)
        except NotText as error:
            return Problem(self.data.place(place), str(error))

    def _item(self, place: int, row: Cells, ids: Ids) -> Item | Problem:
        _check_depth(row)
        fields: dict[str, str] = {}
        for name, spec in self.inputs.items():
            text = self._text(spec, row)
            if text is not None:
                fields[name] = text
            elif spec.required:
                return Problem(self.data.place(place), self._missing(name, row))
        content = {column: value for column, value in row.items() if value is not None}
        key = self._key(content)
        if key is None:
            key = ids.make(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), place)
        elif (earlier := ids.claim(key, place)) is not None:
            return Problem(
                self.data.place(place),
                f"the id {key!r} is taken by {self.data.place(earlier)}; "
                "give each row its own, or name another column: --map id=COLUMN",
            )
        used = {feed.column for feed in self.columns.fields.values() if feed.whole}
        extra = {column: value for column, value in content.items() if column not in used}
        return Item(id=key, fields=fields, extra=extra, place=self.data.full_place(place))

    def _key(self, content: Cells) -> str | None:
        """The row's own id, taken out of its content; None where it has none."""
        if self.columns.id is None:
            return None
        key = _told("the id", self.columns.id, content)
        if self.columns.id.whole:
            content.pop(self.columns.id.column, None)
        return key if key is not None and key.strip() else None

    def _text(self, spec: Input, cells: Cells) -> str | None:
        """The input's text, None when there is none; only a judged text may be empty."""
        feed = self.columns.fields.get(spec.name)
        if feed is None:
            return None
        text = _told(f"the field {spec.name!r}", feed, cells)
        return text if text is None or spec.judged or text.strip() else None

    def _missing(self, name: str, cells: Cells) -> str:
        feed = self.columns.fields[name]
        column, remedy = feed.column, "fill it in"
        if column not in cells:
            state = f"column {column!r} is not there"
        elif str(feed) != column:
            state = f"there is no {str(feed)!r}"
        elif cells[column] is None:
            state = f"column {column!r} is null"
            if self.inputs[name].judged:
                remedy += ', or write "" where the text is empty'
        else:
            state = f"column {column!r} is empty"
        return f"the required field {name!r} is missing: {state}; {remedy}"


def _check_depth(content: Cells) -> None:
    """NotText for what could be read, but not written again with a little around it."""
    for column, value in content.items():
        if isinstance(value, Mapping | list):
            try:
                orjson.dumps([[[[[[[[value]]]]]]]])
            except TypeError:
                raise NotText(f"column {column!r} is nested too deeply; flatten it") from None


def _told(what: str, feed: Selector | Turn, cells: Cells) -> str | None:
    """The text that feeds something; NotText names that."""
    try:
        return text_of(feed.of(cells))
    except NotText as error:
        raise NotText(f"{what} from {str(feed)!r}: {error}") from None
