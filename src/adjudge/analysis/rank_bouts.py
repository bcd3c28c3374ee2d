"""Bouts: comparisons of two systems on one question, wherever they come from."""

from __future__ import annotations

from typing import NamedTuple

from adjudge.core.item import Item
from adjudge.errors import UsageError


class Bout(NamedTuple):
    """`score` is what A has of it: 1 won, 0 lost, 0.5 a tie, None where there is no result.

    `longer` is how many characters A's text is longer than B's, None where the texts were judged
    apart. `cells` are the values of the columns asked for. `weighed`: the score is no result but
    how likely one is, anything from 0 to 1.
    """

    a: str
    b: str
    question: str
    score: float | None
    longer: int | None
    cells: tuple[str | None, ...]
    weighed: bool = False


def cell(item: Item, column: str) -> str | None:
    """What an item has in a column, used by an input or not, as text."""
    value = item.extra.get(column, item.fields.get(column))
    if value is None or isinstance(value, str):
        return value
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def check_column(item: Item, flag: str, column: str) -> None:
    """UsageError when the item, the first of a run, does not have the column that a flag names."""
    known = [*item.extra, *item.fields]
    if column not in known:
        raise UsageError(
            f"{flag} {column}: the first item, {item.id}, has no such column."
            f" It has: {', '.join(known)}."
        )
