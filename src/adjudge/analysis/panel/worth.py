"""What a panel is worth: its effective votes, and what labels say of it and of its members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

import numpy as np

from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Category, Number, Scale, value_range
from adjudge.stats.arrays import Floats
from adjudge.stats.combine import How, combine
from adjudge.stats.people import People
from adjudge.stats.raters import effective_votes
from adjudge.stats.selection import FEWEST, choose
from adjudge.stats.stat import Stat, undefined

from .findings import PanelWay, PanelWorth, SmallerPanel

_MOST_MEMBERS = 8  # of which all subsets are looked at
_CONFIDENCE = 0.95


def votes_by_agreement(table: Floats, scale: Scale) -> Stat:
    """The effective votes where nothing is known but what the members gave."""
    known = table[np.isfinite(table).all(axis=1)]
    if isinstance(scale, Category):
        options = range(len(scale.options))
        return effective_votes((known == option).astype(np.float64) for option in options)
    return effective_votes([known])


def worth_of(
    table: Floats, people: People, scale: Scale, how: How, costs: Sequence[float | None]
) -> PanelWorth:
    """Over the labelled items that every member scored. `costs` are the members'."""
    human, scores = people.values, table[people.places]
    both = np.isfinite(human) & np.isfinite(scores).all(axis=1)
    human, scores = human[both], scores[both]
    named = isinstance(scale, Category | Binary)
    if named:
        human, scores = np.round(human), np.round(scores)
    low, high = (0.0, 1.0) if named else value_range(scale) or (0.0, 1.0)
    labelled, ways = _Labelled(scores, human, named, high - low), _ways(scale, how)
    right = np.column_stack([labelled.right(column) for column in scores.T])
    shown = right.mean(axis=0) if len(right) else np.zeros(right.shape[1])
    everyone = range(right.shape[1])
    return PanelWorth(
        measure="exact" if named else "distance",
        items=len(human),
        votes=effective_votes([1 - right if named else scores - human[:, None]]),
        best=int(np.argmax(shown)),
        best_shown=abs(float(shown.max())),
        ways=tuple(
            _against_best(way, labelled.of_panel(everyone, way), right, high - low, len(ways))
            for way in ways
        ),
        cheapest=labelled.cheapest(ways[0], costs),
    )


def _ways(scale: Scale, how: How) -> list[How]:
    """How the panel's values are made here, the panel's own way first. Weights rest on the labels
    themselves, so that the mean or the vote stands for them."""
    if isinstance(scale, Category | Binary):
        return ["majority"]
    known: list[How] = ["mean", "median"]
    if not isinstance(scale, Number):
        known.append("majority")
    return list(dict.fromkeys([how if how != "weighted" else "mean", *known]))


def _above(gaps: Floats, unit: float, confidence: float) -> tuple[int, Stat]:
    """The best of several, a column each, and its mean with its having been chosen counted. That
    is done on 0-1, so `unit` is the width of the scale."""
    shares = gaps / unit
    chosen = choose(shares, shares.mean(axis=0), confidence)
    known = chosen.corrected
    if known.value is None or known.low is None or known.high is None:
        return chosen.best, known
    return chosen.best, Stat(known.value * unit, known.low * unit, known.high * unit)


def _against_best(way: How, panel: Floats, right: Floats, unit: float, ways: int) -> PanelWay:
    """Beside the best member; the intervals of all ways hold together."""
    if not len(panel):
        return PanelWay(way, None, undefined(Reason("few_items", count=0)))
    _, lead = _above(right - panel[:, None], unit, 1 - (1 - _CONFIDENCE) / ways)
    shown = abs(float(panel.mean()))
    if lead.value is None or lead.low is None or lead.high is None:
        return PanelWay(way, shown, lead)
    return PanelWay(way, shown, Stat(-lead.value, -lead.high, -lead.low))


@dataclass(frozen=True, slots=True)
class _Labelled:
    """Scores and people's values of the same items; `unit` is the width of the scale."""

    scores: Floats
    human: Floats
    named: bool
    unit: float

    def right(self, values: Floats) -> Floats:
        """Per item, the higher the better: 1 or 0 for the same answer, else the distance below
        0."""
        if self.named:
            return np.asarray(values == self.human, dtype=np.float64)
        return np.asarray(-np.abs(values - self.human))

    def of_panel(self, members: Sequence[int], way: How) -> Floats:
        """The same for a panel. Where values have equally many votes, one is drawn: what is to be
        expected counts."""
        table = self.scores[:, list(members)]
        if way != "majority":
            return self.right(combine(table, way).values)
        votes = np.round(table)
        alike = (votes[:, :, None] == votes[:, None, :]).sum(axis=2)
        share = np.where(alike == alike.max(axis=1, keepdims=True), 1.0, 0.0)
        scored = np.column_stack([self.right(column) for column in votes.T])
        return np.asarray((share * scored).sum(axis=1) / share.sum(axis=1), dtype=np.float64)

    def cheapest(self, way: How, costs: Sequence[float | None]) -> SmallerPanel | None:
        """The first smaller panel that is not shown to be worse than the whole; None where all
        are, or where there are too few items to tell. By cost, or by size where a price is not
        known; of those that cost the same the best."""
        if len(self.human) < FEWEST:
            return None
        priced = None not in costs and any(costs)
        prices = [(cost or 0.0) if priced else 1.0 for cost in costs]
        whole = self.of_panel(range(len(costs)), way)
        for price, alike in groupby(_smaller(prices), key=lambda panel: panel[0]):
            panels = [members for _, members in alike]
            gaps = np.column_stack([self.of_panel(members, way) - whole for members in panels])
            best, above = _above(gaps, self.unit, _CONFIDENCE)
            if above.high is not None and above.high >= 0:
                return SmallerPanel(panels[best], above, price / sum(prices), priced)
        return None


def _smaller(prices: Sequence[float]) -> list[tuple[float, tuple[int, ...]]]:
    """Smaller panels with their prices, the cheapest first; of many members only those that leave
    out the dearest."""
    places = sorted(range(len(prices)), key=lambda at: prices[at])
    sizes = range(1, len(prices))
    if len(prices) > _MOST_MEMBERS:
        panels = [tuple(sorted(places[:size])) for size in sizes]
    else:
        panels = [members for size in sizes for members in combinations(sorted(places), size)]
    return sorted((round(sum(prices[at] for at in members), 9), members) for members in panels)
