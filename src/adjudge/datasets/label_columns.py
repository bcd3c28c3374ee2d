"""What the columns of a file of labels mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .names import ID_COLUMNS, normal

# A column `id` may number the labels, so that `item` is asked for first.
_ITEM = ("item", "item_id", *ID_COLUMNS)
_RATER = ("rater", "annotator")
_CRITERION, _VALUE, _DRAW, _CREATED = "criterion", "value", "draw", "created"

# Exports put an apostrophe before what a spreadsheet would run as a formula.
_COVERED = re.compile(r"""'(?='*[\t\r\n]|[\s"'\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠])""")


class Unfit(ValueError):  # noqa: N818 - caught by the reader of the file, which names the row
    """The row is no label; the message says why and what to do."""


class WrongHeader(Unfit):
    """It is the fault of the columns, so that every row with the same ones is unfit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """`wide` maps columns to criteria; `long` is the columns of criterion and value, if any."""

    item: str
    rater: str | None
    draw: str | None
    created: str | None
    wide: Mapping[str, str]
    long: tuple[str, str] | None


def layout_of(columns: Sequence[str], criteria: Mapping[str, str]) -> Layout:
    """The columns by their meaning; `criteria` maps normal names to the judge's own.

    Raises WrongHeader when no column names the item, or two columns mean the same criterion.
    """
    named: dict[str, str] = {}
    wide: dict[str, str] = {}
    for column in columns:
        name = normal(column)
        if name in criteria:
            if name in named:
                raise WrongHeader(
                    f"{named[name]!r} and {column!r} are the same criterion; drop one"
                )
            wide[column] = criteria[name]
        named.setdefault(name, column)
    plain = {name: column for name, column in named.items() if name not in criteria}
    item = _first(plain, _ITEM)
    if item is None:
        raise WrongHeader(f"no column names the item: {', '.join(columns)}; call it `item`")
    long = (plain[_CRITERION], plain[_VALUE]) if {_CRITERION, _VALUE} <= plain.keys() else None
    return Layout(
        item=item,
        rater=_first(plain, _RATER),
        draw=plain.get(_DRAW),
        created=plain.get(_CREATED),
        wide=wide,
        long=long,
    )


def _first(columns: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((columns[name] for name in names if name in columns), None)


def uncovered(text: str) -> str:
    """The text as it was before an export kept it from being a formula."""
    return _COVERED.sub("", text, count=1) if _COVERED.match(text) else text
