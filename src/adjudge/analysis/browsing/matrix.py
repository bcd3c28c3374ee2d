"""Items beside runs, models or systems: a score per cell, and how far apart those of a row lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.scores.grader import Grader
from adjudge.core.reason import Reason
from adjudge.core.scale import Value
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints, spread_of
from adjudge.stores import RunRecord

from .index import RunIndex
from .rows import number_or_none, value_of

MOST_COLUMNS = 12


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """A judge and model of a run, of one `system` alone where the columns are systems."""

    record: RunRecord
    grader: Grader
    system: str | None = None


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """What an item got there; `value` is None without a score."""

    item: str
    value: Value | None
    unit: float | None


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """`name` is the item, or what its systems' items share. `cells` are None where there is no such
    item. `spread` is from the lowest to the highest score as shares of the scale, two names are 1
    apart; None below two scores."""

    name: str
    cells: tuple[MatrixCell | None, ...]
    spread: float | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """The rows with the largest spread come first."""

    criterion: str
    columns: tuple[MatrixColumn, ...]
    names: tuple[str, ...]
    places: Ints  # a row per name, a column per column: the place of the item in its run, -1 none
    spread: Floats
    order: Ints
    indexes: Mapping[str, RunIndex]

    @property
    def total(self) -> int:
        return len(self.names)

    def rows(self, start: int, size: int) -> Iterator[MatrixRow]:
        for at in self.order[start : start + size].tolist():
            yield self.row(at)

    def row(self, at: int) -> MatrixRow:
        cells = (
            self._cell(column, int(place))
            for column, place in zip(self.columns, self.places[at], strict=True)
        )
        return MatrixRow(self.names[at], tuple(cells), number_or_none(self.spread[at]))

    def _cell(self, column: MatrixColumn, place: int) -> MatrixCell | None:
        if place < 0:
            return None
        grader = column.grader
        scale = grader.criterion(self.criterion).scale if grader.on_scale else None
        value = float(grader.values(self.criterion)[place])
        unit = float(grader.mean_of("unit", self.criterion)[place])
        item = self.indexes[column.record.id].arrays.items[place]
        return MatrixCell(item, value_of(scale, value), number_or_none(unit))


def criteria_of(indexes: Sequence[RunIndex]) -> dict[str, str]:
    """Those that any run has, in its order, with their titles."""
    titles: dict[str, str] = {}
    for grader in (grader for index in indexes for grader in index.graders):
        for name in grader.criteria:
            titles.setdefault(name, grader.judge.rubric.title(name))
    return titles


def matrix_of(
    indexes: Sequence[RunIndex], criterion: str, system: str = "", group: str = ""
) -> Matrix:
    """Items by run and model; or of one run what shares a value of the column `group`, by the
    values of the column `system`. UsageError where there are too many columns, or none."""
    columns, places = (
        _systems(indexes[0], criterion, system, group) if system else _runs(indexes, criterion)
    )
    if not 1 <= len(columns) <= MOST_COLUMNS:
        raise UsageError(Reason("query.columns", count=len(columns), most=MOST_COLUMNS))
    names = tuple(places)
    placed = np.array([places[name] for name in names], dtype=np.intp)
    placed = placed.reshape(len(names), len(columns))
    apart = _spread(columns, criterion, placed)
    order = np.lexsort((np.arange(len(names)), np.where(np.isnan(apart), np.inf, -apart)))
    by_run = {index.record.id: index for index in indexes}
    return Matrix(criterion, tuple(columns), names, placed, apart, order, by_run)


def _runs(
    indexes: Sequence[RunIndex], criterion: str
) -> tuple[list[MatrixColumn], dict[str, list[int]]]:
    columns = [
        MatrixColumn(index.record, grader)
        for index in indexes
        for grader in index.graders
        if criterion in grader.criteria
    ]
    places: dict[str, list[int]] = {}
    known = {index.record.id: index.arrays for index in indexes}
    for at, column in enumerate(columns):
        arrays = known[column.record.id]
        for place in np.argsort(arrays.position, kind="stable").tolist():
            if column.grader.here[place]:
                row = places.setdefault(arrays.items[place], [-1] * len(columns))
                row[at] = place
    return columns, places


def _systems(
    index: RunIndex, criterion: str, system: str, group: str
) -> tuple[list[MatrixColumn], dict[str, list[int]]]:
    """The first item counts where a system has several in a group."""
    systems, groups = index.column(system), index.column(group)
    grader = next((one for one in index.graders if criterion in one.criteria), index.graders[0])
    columns = [MatrixColumn(index.record, grader, name) for name in systems.texts]
    places: dict[str, list[int]] = {}
    for place in np.argsort(index.arrays.position, kind="stable").tolist():
        at, row = systems.codes[place] - 1, groups.codes[place] - 1
        if at >= 0 and row >= 0:
            cells = places.setdefault(groups.texts[row], [-1] * len(columns))
            if cells[at] < 0:
                cells[at] = place
    return columns, places


def _spread(columns: Sequence[MatrixColumn], criterion: str, places: Ints) -> Floats:
    """By row, on 0-1; NaN below two scores."""
    rows, named = [np.full(len(places), np.nan)], False
    for at, column in enumerate(columns):
        grader = column.grader
        names = grader.options(criterion) is not None
        named |= names
        every = grader.values(criterion) if names else grader.mean_of("unit", criterion)
        if len(every):
            rows.append(np.where(places[:, at] >= 0, every[places[:, at]], np.nan))
    return np.round(spread_of(np.stack(rows), names=named), 10)
