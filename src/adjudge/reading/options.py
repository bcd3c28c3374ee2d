"""What options are called when two answers are compared."""

from __future__ import annotations

import re
from functools import lru_cache

from adjudge.core.scale import Category, folded

_TIES = frozenset(
    ["tie", "draw", "tied", "equal", "same", "both", "무승부", "동점", "비김", "hòa", "平局",
     "平手", "引き分け", "同点", "unentschieden", "gleichstand"]
)  # fmt: skip
# "model_a", "Assistant 1", "output2"
_NUMBERED = re.compile(r"(?P<noun>[^\W\d_]{2,12})(?:[\s_-]+(?P<short>[a-z]|\d)|(?P<digit>\d))")


def tie_among(scale: Category) -> str | None:
    """The option that stands for a tie, if there is one by a name that we know."""
    return next((option for option in scale.options if folded(option) in _TIES), None)


@lru_cache(maxsize=64)
def names_among(options: tuple[str, ...]) -> dict[str, str]:
    """Folded name → option: the options' own names and, where they differ only in a letter or a
    digit (Assistant A, Assistant B), that sign alone."""
    own = {folded(option): option for option in options}
    own = {re.sub(r"[_-]+", " ", name): option for name, option in own.items()} | own
    found = {name: _NUMBERED.fullmatch(name) for name in own if name not in _TIES}
    numbered = {name: match for name, match in found.items() if match}
    nouns = {match["noun"] for match in numbered.values()}
    if len(numbered) < 2 or len(numbered) < len(found) or len(nouns) > 1:
        return own
    short = {(m["short"] or m["digit"]): own[name] for name, m in numbered.items()}
    return short | own if len(short) == len(set(short.values())) else own


def third_for_tie(scale: Category, said: str) -> str | None:
    """Prompts that offer A, B and a tie often call the tie C."""
    if said != "C" or len(scale.options) != 3:
        return None
    names = names_among(scale.options)
    placed = (names.get("a"), names.get("b")) == scale.options[:2]
    return scale.options[2] if placed else None
