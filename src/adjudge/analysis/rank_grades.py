"""Scores of single answers → bouts: on each question the system with the higher score wins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.stores.records import Entry

from .rank_bouts import Bout, cell, check_column
from .ranking import RankOptions


class Place(NamedTuple):
    """Where a score belongs."""

    question: str
    system: str
    cells: tuple[str | None, ...]


class Grade(NamedTuple):
    """The mean over the scored rows and repeats of a place, None without any."""

    place: Place
    value: float | None


@dataclass(slots=True)
class Grades:
    """The verdicts of one scoring judge and model while they stream by; `system` and `group` are
    the columns that name the system and the question of a row."""

    judge: Judge
    system: str
    group: str
    options: RankOptions
    found: dict[Place, dict[str, list[float]]] = field(default_factory=dict)
    nameless: int = 0

    def add(self, entry: Entry) -> None:
        if not self.found and not self.nameless:
            check_column(entry.item, "--system", self.system)
            check_column(entry.item, "--group", self.group)
        place = self._place(entry.item)
        if place is None:
            self.nameless += 1
            return
        by_criterion = self.found.setdefault(place, {})
        for name, score in entry.verdict.scores.items():
            given = by_criterion.setdefault(name, [])
            if score.value is not None and not isinstance(score.value, str):
                given.append(float(score.value))

    def _place(self, item: Item) -> Place | None:
        question, system = cell(item, self.group), cell(item, self.system)
        if question is None or system is None:
            return None
        return Place(question, system, tuple(cell(item, column) for column in self.options.by))

    def grades(self, criterion: str) -> list[Grade]:
        return [
            Grade(place, _mean(by_criterion.get(criterion, [])))
            for place, by_criterion in self.found.items()
        ]

    def bouts(self, criterion: str) -> list[Bout]:
        """Every two systems of every question, equal scores being a tie."""
        by_question: dict[tuple[str, tuple[str | None, ...]], list[Grade]] = {}
        for grade in self.grades(criterion):
            by_question.setdefault((grade.place.question, grade.place.cells), []).append(grade)
        return [
            Bout(one.place.system, other.place.system, question, _result(one, other), None, cells)
            for (question, cells), grades in by_question.items()
            for one, other in combinations(grades, 2)
        ]

    def cautions(self) -> Iterator[str]:
        unused = {
            "--a and --b": self.options.a,
            "--baseline": self.options.baseline,
            "--variant": self.options.variants,
        }
        for flags in (name for name, value in unused.items() if value):
            yield f"{self.judge.name} scores answers one by one: {flags} is not used."
        if self.nameless:
            yield f"{self.nameless} rows name no system or no question and do not count."


def _mean(values: list[float]) -> float | None:
    # Rounded, so that the same values in another order make the same mean.
    return round(sum(values) / len(values), 10) if values else None


def _result(one: Grade, other: Grade) -> float | None:
    if one.value is None or other.value is None:
        return None
    return 0.5 if one.value == other.value else float(one.value > other.value)
