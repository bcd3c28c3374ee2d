"""Two sides joined item by item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from adjudge.errors import UsageError

from .comparison import Missing
from .sides import Side

# Of a criterion: what it is called in A and in B.
Names = tuple[str, str]


class Pair(NamedTuple):
    """An item that both sides have scored."""

    item: str
    a: float | str
    b: float | str


@dataclass(frozen=True, slots=True)
class Pairing:
    """`items` are in both runs, in A's order; `columns` are those that rows keep values of."""

    a: Side
    b: Side
    items: tuple[str, ...]
    columns: tuple[str, ...]

    def all_scores(self, names: Names) -> tuple[list[float | str | None], ...]:
        """What each side has for each shared item, None where it has no score."""
        first, second = self.a.scores.get(names[0], {}), self.b.scores.get(names[1], {})
        return [first.get(item) for item in self.items], [second.get(item) for item in self.items]

    def scored(self, names: Names) -> tuple[list[Pair], Missing]:
        """The items that both sides have scored, and how many they have not."""
        pairs, lacking = [], Counter[tuple[bool, bool]]()
        for item, a, b in zip(self.items, *self.all_scores(names), strict=True):
            lacking[a is None, b is None] += 1
            if a is not None and b is not None:
                pairs.append(Pair(item, a, b))
        one, other = lacking[True, False], lacking[False, True]
        return pairs, Missing(a=one, b=other, both=lacking[True, True])

    def cell(self, item: str, column: str) -> str | None:
        """What A's data says about the item; where they are silent, B's."""
        at = self.columns.index(column)
        value = self.a.rows[item].columns[at]
        return self.b.rows[item].columns[at] if value is None else value

    def groups(self, pairs: Sequence[Pair], column: str | None) -> list[str] | None:
        """The group of each pair; an item without a value is a group of its own."""
        if column is None:
            return None
        cells = ((pair.item, self.cell(pair.item, column)) for pair in pairs)
        return [f"item {item}" if value is None else f"group {value}" for item, value in cells]


def pair_up(a: Side, b: Side, columns: Sequence[str]) -> Pairing:
    """UsageError when no item is in both."""
    items = tuple(item for item in a.rows if item in b.rows)
    if items:
        return Pairing(a, b, items, tuple(columns))
    raise UsageError(
        f"The runs share no item: {_ids(a)}; {_ids(b)}. Runs are paired by the items' ids: give the"
        " rows of both files the same ids (a column `id`, or --map id=COLUMN)."
    )


def _ids(side: Side) -> str:
    shown = ", ".join(list(side.rows)[:3]) + (", …" if len(side.rows) > 3 else "")
    return f"{side.source.record.id} has {len(side.rows)} ({shown})"
