"""Bouts: comparisons of two systems on one question, wherever they come from."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from adjudge.analysis.scores.grader import Grader
from adjudge.analysis.scores.reader import Column, cell_text
from adjudge.core.item import Item, length_of
from adjudge.core.judge import Judge, Pair
from adjudge.core.reason import Reason
from adjudge.core.score import ORDERS_DISAGREE, Score
from adjudge.errors import UsageError
from adjudge.stores import Entry

from .findings import RankOptions


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
    return None if value is None else cell_text(value)


def check_column(item: Item, option: str, column: str) -> None:
    """UsageError when the item, the first of a run, has no column as an option names it."""
    known = [*item.extra, *item.fields]
    if column not in known:
        reason = Reason("ranking.no_column", item=item.id, known=tuple(known))
        raise UsageError(reason.at_option(option, column))


class GradePlace(NamedTuple):
    """Where a score belongs."""

    question: str
    system: str
    cells: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Grades:
    """One scoring judge and model; `system` and `group` name the system and the question of every
    item, `cells` are the columns asked for."""

    grader: Grader
    system: Column
    group: Column
    cells: tuple[Column, ...]
    options: RankOptions

    @property
    def judge(self) -> Judge:
        return self.grader.judge

    def grades(self, criterion: str) -> dict[GradePlace, float | None]:
        """The mean over the scored items of each place, the repeats of an item made one first; None
        without any."""
        values = self.grader.values(criterion).tolist()
        by_place: dict[GradePlace, list[float]] = {}
        for at in np.flatnonzero(self.grader.here).tolist():
            question, system = self.group.text(at), self.system.text(at)
            if question is not None and system is not None:
                place = GradePlace(question, system, tuple(cells.text(at) for cells in self.cells))
                known = by_place.setdefault(place, [])
                known += [] if math.isnan(values[at]) else [values[at]]
        return {place: _mean(known) for place, known in by_place.items()}

    def bouts(self, criterion: str) -> list[Bout]:
        """Every two systems of every question, equal scores being a tie."""
        by_question: dict[tuple[str, tuple[str | None, ...]], list[tuple[str, float | None]]] = {}
        for place, value in self.grades(criterion).items():
            by_question.setdefault((place.question, place.cells), []).append((place.system, value))
        return [
            Bout(one, other, question, _result(first, second), None, cells)
            for (question, cells), grades in by_question.items()
            for (one, first), (other, second) in combinations(grades, 2)
        ]

    def cautions(self) -> Iterator[Reason]:
        options = self.options
        unused = {"a, --b": options.a, "baseline": options.baseline, "variant": options.variants}
        for flags in (f"--{name}" for name, value in unused.items() if value):
            yield Reason("ranking.flags_unused", judge=self.judge.name, flags=flags)
        named = (self.system.codes > 0) & (self.group.codes > 0)
        if nameless := int((self.grader.here & ~named).sum()):
            yield Reason("ranking.nameless_scores", count=nameless)


def _mean(values: list[float]) -> float | None:
    # Rounded, so that the same values in another order make the same mean.
    return round(sum(values) / len(values), 10) if values else None


def _result(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return None
    return 0.5 if one == other else float(one > other)


# Columns that usually name the two systems, the likeliest first.
_USUAL = tuple(
    (f"{name}_{one}", f"{name}_{other}")
    for one, other in (("a", "b"), ("1", "2"))
    for name in ("system", "model", "generator", "assistant")
)
Orders = tuple[int, int]


@dataclass(slots=True)
class _Item:
    bout: Bout
    scores: dict[str, list[Score]] = field(default_factory=dict)


@dataclass(slots=True)
class PairVerdicts:
    """The verdicts of one pair judge and model while they stream by; repeats are averaged."""

    judge: Judge
    pair: Pair
    options: RankOptions
    items: dict[str, _Item] = field(default_factory=dict)
    begun: bool = False
    nameless: int = 0
    alike: int = 0
    columns: tuple[str, str] | None = None

    def add(self, entry: Entry) -> None:
        item = entry.item
        if item.id not in self.items:
            if not self.begun:
                self.begun = True
                self.columns = _columns(item, self.options)
            bout = self._bout(item)
            if bout is None:
                return
            self.items[item.id] = _Item(bout)
        for name, score in entry.verdict.scores.items():
            self.items[item.id].scores.setdefault(name, []).append(score)

    def _bout(self, item: Item) -> Bout | None:
        a, b = self.pair.inputs
        names = self._names(item)
        if None in names or names[0] == names[1]:
            self.nameless += None in names
            self.alike += None not in names
            return None
        longer = length_of(item.fields.get(a, "")) - length_of(item.fields.get(b, ""))
        cells = tuple(cell(item, column) for column in self.options.by)
        return Bout(str(names[0]), str(names[1]), self._question(item), None, longer, cells)

    def _names(self, item: Item) -> tuple[str | None, str | None]:
        if self.columns is None:
            return self.pair.inputs
        return cell(item, self.columns[0]), cell(item, self.columns[1])

    def _question(self, item: Item) -> str:
        """The group asked for; else what both answers were to: the inputs that are not judged."""
        if self.options.group is not None:
            value = cell(item, self.options.group)
            return f"item {item.id}" if value is None else f"group {value}"
        asked = [item.fields.get(name, "") for name in self.judge.inputs if not self._judged(name)]
        return "\0".join(asked) if any(asked) else f"item {item.id}"

    def _judged(self, name: str) -> bool:
        return self.judge.inputs[name].judged or name in self.pair.inputs

    def bouts(self, criterion: str) -> list[Bout]:
        """A bout for each item, its repeats averaged over the scored ones."""
        bouts = []
        for item in self.items.values():
            scores = item.scores.get(criterion, ())
            known = [won for score in scores if (won := _share(self.pair, score)) is not None]
            weighed = any(_is_weighed(score) for score in scores)
            bouts.append(item.bout._replace(score=_mean(known), weighed=weighed))
        return bouts

    def orders(self, criterion: str) -> Iterator[tuple[Orders, str]]:
        """Who won in the orders "ab" and "ba" (1 A, -1 B, 0 neither), and the question."""
        for item in self.items.values():
            for score in item.scores.get(criterion, ()):
                both = both_orders(self.pair, score)
                if both is not None:
                    yield both, item.bout.question

    def cautions(self) -> Iterator[Reason]:
        if self.options.system is not None:
            yield Reason("ranking.system_unused", judge=self.judge.name)
        if self.columns is None:
            yield Reason("ranking.no_columns")
        if self.nameless:
            yield Reason("ranking.nameless_pairs", count=self.nameless)
        if self.alike:
            yield Reason("ranking.alike", count=self.alike)


def both_orders(pair: Pair, score: Score) -> Orders | None:
    """Who won in each order, about the answers themselves; None without a score.

    Where the orders agree both are the value; where they do not, the score keeps them in `raw`.
    """
    if score.value is None:
        return None
    signs = _signs(pair)
    if score.rule != ORDERS_DISAGREE:
        won = signs.get(str(score.value), 0)
        return won, won
    ab, _, ba = str(score.raw).partition("|")
    return signs.get(ab, 0), signs.get(ba, 0)


def _share(pair: Pair, score: Score) -> float | None:
    """What A has of a comparison. Where the judge told how likely each result is, over both orders,
    that is the expected one (the weighted win rate of AlpacaEval 2): of A winning, and half of a
    tie."""
    if score.value is None:
        return None
    signs = _signs(pair)
    if score.distribution is None or not _is_weighed(score):
        return (1 + signs.get(str(score.value), 0)) / 2
    ahead = sum(signs.get(name, 0) * likely for name, likely in score.distribution.items())
    return (1 + ahead) / 2


def _is_weighed(score: Score) -> bool:
    """A rule of the rubric goes before probabilities, which it knows nothing of."""
    known = score.value is not None and score.distribution is not None
    return known and score.rule in (None, ORDERS_DISAGREE)


def _signs(pair: Pair) -> Mapping[str, int]:
    return {pair.values[0]: 1, pair.values[1]: -1}


def _columns(item: Item, options: RankOptions) -> tuple[str, str] | None:
    """The two columns that name the systems; None where there are none of the usual names."""
    if options.group is not None:
        check_column(item, "group", options.group)
    if options.a is not None and options.b is not None:
        check_column(item, "a", options.a)
        check_column(item, "b", options.b)
        return options.a, options.b
    return usual_columns(item.extra)


def usual_columns(columns: Container[str]) -> tuple[str, str] | None:
    """Those of the usual names that name the two systems of a pair."""
    return next((pair for pair in _USUAL if all(name in columns for name in pair)), None)
