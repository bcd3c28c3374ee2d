"""Means within parts of the data, a part for each value of a column."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.scores.grader import CriterionScores, Grader
from adjudge.analysis.scores.intervals import mean_of
from adjudge.analysis.scores.reader import Column, cell_text
from adjudge.core.item import Item
from adjudge.stats.arrays import Bools
from adjudge.stats.stat import Stat

_MOST = 30  # values of a column that are shown one by one; smaller ones are shown together
_LONGEST = 40  # characters of a value in a list of columns: what is longer is a text, not a kind
LOOKED_AT = 500  # items that tell which columns do


@dataclass(frozen=True, slots=True)
class SliceMean:
    """`n` items with a score, and `unscored` without one. Of names there is no mean: `names` has
    how many of the items have each, the most frequent first, DIVIDED last."""

    n: int
    unscored: int
    mean: Stat
    names: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class DataSlice:
    """The items with one `value` of the column, None for those without any. `rest` is how many
    smaller values this one holds together, 0 for one of its own. `means` is by judge, model and
    criterion."""

    value: str | None
    items: int
    means: Mapping[tuple[str, str, str], SliceMean]
    rest: int = 0


@dataclass(frozen=True, slots=True)
class Slices:
    """Numbers in their order, other values by how many items they have; the rest last."""

    column: str
    values: tuple[DataSlice, ...]


def columns_of(items: Iterable[Item]) -> dict[str, tuple[str, ...]]:
    """All columns, each with its values where it divides the data: short ones that items share, at
    least two different ones."""
    columns: dict[str, dict[str, None]] = {}
    count = 0
    for item in items:
        count += 1
        for name, value in (*item.extra.items(), *item.fields.items()):
            known = columns.setdefault(name, {})
            if value is not None:
                known[cell_text(value)] = None
    return {
        name: tuple(values)
        if 2 <= len(values) <= max(2, count // 2)
        and all(len(value) <= _LONGEST for value in values)
        else ()
        for name, values in columns.items()
    }


def sliced(
    column: str,
    values: Iterable[tuple[str, object]],
    places: Mapping[str, int],
    graders: Sequence[Grader],
) -> Slices:
    """`values` are the items with what they have in the column; of a list, such as tags, each entry
    is a value, and an item belongs to several."""
    column_values = Column(values, places)
    at_code = column_values.codes
    tally = np.bincount(at_code, minlength=len(column_values.texts) + 1).tolist()
    holding: dict[str | None, list[int]] = {None: [0]} if tally[0] else {}
    for code, text in enumerate(column_values.texts, 1):
        for kind in _kinds(text) if tally[code] else ():
            holding.setdefault(kind, []).append(code)
    counts = {value: sum(tally[code] for code in codes) for value, codes in holding.items()}
    ordered = sorted(counts, key=lambda value: (-counts[value], value is None, value or ""))
    # One smaller value alone is told as well as a group of it would be.
    most = _MOST if len(ordered) > _MOST + 1 else len(ordered)
    kept, others = _numbers_in_order(ordered[:most]), ordered[most:]
    parts = [_slice(value, np.isin(at_code, holding[value]), graders) for value in kept]
    if others:
        rest = np.isin(at_code, [code for value in others for code in holding[value]])
        parts.append(_slice(None, rest, graders, rest=len(others)))
    return Slices(column, tuple(parts))


def _kinds(text: str) -> Iterable[str]:
    """The value itself; the entries of a list."""
    if text[:1] == "[":
        with suppress(ValueError, RecursionError):
            entries = json.loads(text)
            if entries and all(isinstance(entry, str | int) for entry in entries):
                return dict.fromkeys(map(cell_text, entries))
    return (text,)


def _numbers_in_order(values: list[str | None]) -> list[str | None]:
    """As they are, unless all are numbers but None, which then comes last."""
    try:
        return sorted(values, key=lambda value: math.inf if value is None else float(value))
    except ValueError:
        return values


def _slice(
    value: str | None, among: Bools, graders: Sequence[Grader], *, rest: int = 0
) -> DataSlice:
    means = {
        (grader.judge.name, grader.model, name): _mean(grader.scored(name).among(among))
        for grader in graders
        for name in grader.criteria
    }
    return DataSlice(value, int(among.sum()), means, rest)


def _mean(scores: CriterionScores) -> SliceMean:
    return SliceMean(scores.scored_items, scores.unscored_items, mean_of(scores)[0], scores.names)
