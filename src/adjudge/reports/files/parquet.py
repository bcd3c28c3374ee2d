"""Verdict rows as Parquet: flat columns with dotted names, each of one type.

Numbers stay numbers and lists of texts lists; a distribution is JSON. A score is a float, 1 and 0
for yes and no; a column that holds texts and numbers in turn is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from .rows import Row, Rows, in_order, leaves, plain_cell

if TYPE_CHECKING:
    import pyarrow

# What is in memory at a time: rows, and characters of their texts, which may be long ones.
_ROW_GROUP, _MOST_TEXT = 2_000, 16_000_000

# What every file has, so that one without rows can be read too.
_ALWAYS = dict.fromkeys(("run", "item", "judge", "fingerprint", "model", "outcome"), "text")
# Whole numbers and yes or no among these are floats as well, and columns without any value have a
# type all the same: files of several runs should fit together.
_FLOATS = re.compile(r"scores\..*\.(?:value|raw|unit|confidence|mass)|usage\.cost_usd", re.DOTALL)
_LISTS = re.compile(r"scores\..*\.span", re.DOTALL)


def write(rows: Rows, out: BinaryIO) -> None:
    """Walks the rows twice: for the types of the columns, then to write them, group by group."""
    from pyarrow import RecordBatch  # noqa: PLC0415 - slow to load
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    kinds = _kinds(rows)
    schema = _schema(kinds)
    with ParquetWriter(out, schema, compression="zstd") as table:
        for group in _groups(rows):
            cells = [{n: _cell(value, kinds[n]) for n, value in leaves(row)} for row in group]
            table.write_batch(RecordBatch.from_pylist(cells, schema=schema))
            group.clear()  # else it would be there until the next one is whole


def _groups(rows: Rows) -> Iterator[list[Row]]:
    group: list[Row] = []
    text = 0
    for row in rows():
        group.append(row)
        text += sum(len(value) for _, value in leaves(row) if isinstance(value, str))
        if len(group) == _ROW_GROUP or text > _MOST_TEXT:
            yield group
            group, text = [], 0
    if group:
        yield group


def _kinds(rows: Rows) -> dict[str, str]:
    """The kind of each column, in order."""
    seen: dict[str, set[str]] = {name: {kind} for name, kind in _ALWAYS.items()}
    for row in rows():
        for name, value in leaves(row):
            kinds = seen.setdefault(name, set())
            if value is not None:
                kinds.add(_kind(value))
    return {name: _common(name, seen[name]) for name in in_order(seen)}


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int):
        return "integer" if -(2**63) <= value < 2**63 else "float"
    if isinstance(value, float):
        return "float"
    if isinstance(value, list):
        if all(isinstance(part, str) for part in value):
            return "texts"
        return "integers" if all(type(part) is int for part in value) else "text"
    return "text"


def _common(name: str, kinds: set[str]) -> str:
    if kinds <= {"truth", "integer", "float"} and _FLOATS.fullmatch(name):
        return "float"
    if kinds == {"integer", "float"}:
        return "float"
    if not kinds:
        return "integers" if _LISTS.fullmatch(name) else "text"
    return next(iter(kinds)) if len(kinds) == 1 else "text"


def _schema(kinds: dict[str, str]) -> pyarrow.Schema:
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    types: dict[str, Any] = {
        "text": pa.string(),
        "truth": pa.bool_(),
        "integer": pa.int64(),
        "float": pa.float64(),
        "texts": pa.list_(pa.string()),
        "integers": pa.list_(pa.int64()),
    }
    return pa.schema([(name, types[kind]) for name, kind in kinds.items()])


def _cell(value: object, kind: str) -> object:
    if value is None:
        return None
    if kind == "float" and isinstance(value, int | float):
        return float(value)
    if kind != "text":
        return value
    plain = plain_cell(value)
    return plain if isinstance(plain, str) else orjson.dumps(plain).decode()
