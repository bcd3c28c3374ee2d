"""The judge's scores and people's labels of the same items, row by row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.analysis.scores.grader import CriterionScores
from adjudge.stats.arrays import Bools, Floats, Ints
from adjudge.stats.people import People


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """`judge` and `human` are the items with both, and `fit` marks those whose label can correct a
    mean: not picked as uncertain. `others` are the judge's scores of the items without a label.
    `groups` belong to the former, `groups_of_others` to the latter. `lost` labelled items have no
    score; `recorded` and `strata` as in People. `places` are those of the items with both."""

    judge: Floats
    human: Floats
    fit: Bools
    groups: Ints | None
    others: Floats
    groups_of_others: Ints | None
    lost: int
    recorded: bool
    places: Ints
    strata: Ints | None = None

    @property
    def planned(self) -> Bools:
        """Which items a plan drew."""
        if self.strata is None:
            return np.zeros(len(self.human), dtype=np.bool_)
        return np.asarray(self.strata[:, 0] > 0)

    @property
    def independent(self) -> int:
        """How many items, or groups of them, the pairs come from."""
        return len(self.judge if self.groups is None else np.unique(self.groups))

    @property
    def uncertain(self) -> int:
        """Items whose label cannot correct a mean, since they were picked as uncertain."""
        return int((~self.fit).sum())


@dataclass(frozen=True, slots=True)
class RatedItems:
    """Every labelled item, those that raters are divided on too: `table` has items by raters,
    `judge` the judge's score, NaN where it has none. `on_scale` as in CriterionScores."""

    judge: Floats
    table: Floats
    groups: Ints | None
    on_scale: bool

    @property
    def several(self) -> bool:
        """Whether an item has labels of two raters."""
        return bool((np.isfinite(self.table).sum(axis=1) > 1).any())

    def labels(self) -> tuple[Floats, Floats, Ints]:
        """The judge's score beside each label on its own, and the group of each: the item, where
        there are no other groups."""
        rows, columns = np.nonzero(np.isfinite(self.table) & np.isfinite(self.judge)[:, None])
        groups = rows if self.groups is None else self.groups[rows]
        return self.judge[rows], self.table[rows, columns], groups


def pair(scored: CriterionScores, people: People, groups: Ints | None) -> LabelledPairs:
    """Puts a criterion's scores beside its labels; `groups` has the group of every item."""
    decided = np.isfinite(people.values)
    places, human = people.places[decided], people.values[decided]
    judge = scored.at(places)
    both = np.isfinite(judge)
    labelled = np.isin(scored.places, people.places)
    rest = ~labelled & np.isfinite(scored.values)
    return LabelledPairs(
        judge=judge[both],
        human=human[both],
        fit=~people.uncertain[decided][both],
        groups=None if groups is None else groups[places[both]],
        others=scored.values[rest],
        groups_of_others=None if groups is None else groups[scored.places[rest]],
        lost=int(np.sum(np.isin(places, scored.places) & ~both)),
        recorded=people.recorded,
        places=places[both],
        strata=people.strata[decided][both],
    )


def rated(scored: CriterionScores, people: People, groups: Ints | None) -> RatedItems:
    """Puts a criterion's scores beside what each rater said; `groups` as in `pair`."""
    within = None if groups is None else groups[people.places]
    return RatedItems(scored.at(people.places), people.table, within, scored.on_scale)
