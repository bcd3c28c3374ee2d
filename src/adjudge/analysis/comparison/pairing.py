"""Two sides joined item by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Ints

from .findings import Missing
from .sides import Scores, Side

# Of a criterion: what it is called in A and in B.
Names = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Pairing:
    """`items` are in both runs, in A's order; `at_a` and `at_b` are their places there."""

    a: Side
    b: Side
    items: tuple[str, ...]
    at_a: Ints
    at_b: Ints

    def scores(self, names: Names) -> tuple[Scores, Scores]:
        """What each side has for each shared item."""
        return self.a.scores[names[0]][self.at_a], self.b.scores[names[1]][self.at_b]

    def column(self, name: str) -> list[str | None]:
        """What A's data says about each item; where they are silent, B's."""
        first, second = self.a.inputs.columns[name], self.b.inputs.columns[name]
        both = zip(self.at_a.tolist(), self.at_b.tolist(), strict=True)
        return [second[b] if first[a] is None else first[a] for a, b in both]

    def groups(self, chosen: Ints, column: str | None) -> list[str] | None:
        """The group of each of the chosen items; one without a value is a group of its own."""
        if column is None:
            return None
        cells = self.column(column)
        return [
            f"item {self.items[at]}" if cells[at] is None else f"group {cells[at]}"
            for at in chosen.tolist()
        ]


@dataclass(frozen=True, slots=True)
class ScoredPairs:
    """The scores of the items that both sides have scored; `at` is their place among all."""

    at: Ints
    a: Scores
    b: Scores


def scored(a: Scores, b: Scores) -> tuple[ScoredPairs, Missing]:
    """The pairs among what `Pairing.scores` gives, and how many items lack a score."""
    none_a, none_b = _none(a), _none(b)
    at = np.flatnonzero(~none_a & ~none_b)
    missing = Missing(
        a=int((none_a & ~none_b).sum()),
        b=int((none_b & ~none_a).sum()),
        both=int((none_a & none_b).sum()),
    )
    return ScoredPairs(at, a[at], b[at]), missing


def _none(scores: Scores) -> Bools:
    """Where there is no score: None among names, NaN among numbers."""
    if scores.dtype == object:
        return np.array([score is None for score in scores], dtype=np.bool_)
    return np.isnan(scores)


def pair_up(a: Side, b: Side) -> Pairing:
    """UsageError when no item is in both."""
    items = tuple(item for item in a.items if item in b.items)
    if items:
        return Pairing(a, b, items, _places(a, items), _places(b, items))
    runs = {"a": a.source.record.id, "b": b.source.record.id}
    counts = {"n_a": len(a.items), "n_b": len(b.items)}
    ids = {"ids_a": _ids(a), "ids_b": _ids(b)}
    raise UsageError(Reason("compared.no_item", **runs, **counts, **ids))


def _places(side: Side, items: Sequence[str]) -> Ints:
    return np.fromiter((side.items[item] for item in items), np.intp, len(items))


def _ids(side: Side) -> str:
    return ", ".join(list(side.items)[:3]) + (", …" if len(side.items) > 3 else "")
