"""Verdicts on pairs → bouts, and what the two orders of each said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from adjudge.core.item import Item
from adjudge.core.judge import Judge, Pair
from adjudge.core.score import Score
from adjudge.core.stand_in import length_of
from adjudge.reading.pairs import DISAGREE
from adjudge.stores.records import Entry

from .rank_bouts import Bout, cell, check_column
from .ranking import RankOptions

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
class Pairs:
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
        found = []
        for item in self.items.values():
            scores = item.scores.get(criterion, ())
            known = [each for score in scores if (each := _share(self.pair, score)) is not None]
            share = round(sum(known) / len(known), 10) if known else None
            weighed = any(_is_weighed(score) for score in scores)
            found.append(item.bout._replace(score=share, weighed=weighed))
        return found

    def orders(self, criterion: str) -> Iterator[tuple[Orders, str]]:
        """Who won in the orders "ab" and "ba" (1 A, -1 B, 0 neither), and the question."""
        for item in self.items.values():
            for score in item.scores.get(criterion, ()):
                both = both_orders(self.pair, score)
                if both is not None:
                    yield both, item.bout.question

    def cautions(self) -> Iterator[str]:
        if self.options.system is not None:
            yield f"{self.judge.name} compares pairs: --system is not used; --a and --b are."
        if self.columns is None:
            yield (
                "No column names the systems, so the two inputs stand for one each. Where the"
                " columns have other names, give them with --a and --b."
            )
        if self.nameless:
            yield f"{self.nameless} rows name no system on one side and do not count."
        if self.alike:
            yield f"{self.alike} rows pair a system with itself and do not count."


def both_orders(pair: Pair, score: Score) -> Orders | None:
    """Who won in each order, about the answers themselves; None without a score.

    Where the orders agree both are the value; where they do not, the score keeps them in `raw`.
    """
    if score.value is None:
        return None
    signs = _signs(pair)
    if score.rule != DISAGREE:
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
    return known and score.rule in (None, DISAGREE)


def _signs(pair: Pair) -> Mapping[str, int]:
    return {pair.values[0]: 1, pair.values[1]: -1}


def _columns(item: Item, options: RankOptions) -> tuple[str, str] | None:
    """The two columns that name the systems; None where there are none of the usual names."""
    if options.group is not None:
        check_column(item, "--group", options.group)
    if options.a is not None and options.b is not None:
        check_column(item, "--a", options.a)
        check_column(item, "--b", options.b)
        return options.a, options.b
    return next((pair for pair in _USUAL if all(name in item.extra for name in pair)), None)
