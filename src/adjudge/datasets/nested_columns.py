"""Columns that hold objects or lists: as a whole they are seldom what a judge should read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .bounds import close_name, listed
from .conversations import is_told
from .names import normal


def nested_cells(cells: Mapping[str, object]) -> dict[str, object]:
    """The cells of a row with objects or lists that are no conversations; empty ones tell nothing.

    Texts that hold JSON are texts.
    """
    return {
        column: value
        for column, value in cells.items()
        if value and isinstance(value, Mapping | list) and not is_told(value)
    }


def path_into(column: str, cell: object, names: Sequence[str]) -> tuple[str, str]:
    """What the column holds, in words, and the likeliest path into it for one of these names."""
    if not isinstance(cell, Mapping):
        return "lists", f"{column}[0]"
    keys = {normal(str(key)): str(key) for key in cell}
    wanted = [normal(name) for name in names]
    fit = [keys[name] for name in wanted if name in keys]
    close = [keys[found] for name in wanted for found in close_name(name, keys)]
    said = listed(keys.values(), len(keys))
    return f"objects with {said}", f"{column}.{next(iter([*fit, *close]), 'KEY')}"
