"""What options are called when two answers are compared."""

from __future__ import annotations

from adjudge.core.scale import Category, folded

_TIES = frozenset(
    ["tie", "draw", "tied", "equal", "same", "both", "무승부", "동점", "비김", "hòa", "平局",
     "平手", "引き分け", "同点", "unentschieden", "gleichstand"]
)  # fmt: skip


def tie_among(scale: Category) -> str | None:
    """The option that stands for a tie, if there is one by a name that we know."""
    return next((option for option in scale.options if folded(option) in _TIES), None)
