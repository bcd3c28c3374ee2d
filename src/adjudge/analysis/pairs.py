"""The judge's scores and people's labels of the same items, row by row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.stats.arrays import Bools, Floats, Ints

from .people import People
from .scored import Scored


@dataclass(frozen=True, slots=True)
class Pairs:
    """`judge` and `human` are the items with both, `table` the raters' values of the same items,
    and `fit` marks those whose label can correct a mean: not picked as uncertain. `others` are the
    judge's scores of the items without a label. `groups` belong to the former, `groups_of_others`
    to the latter. `lost` labelled items have no score; `recorded` as in People."""

    judge: Floats
    human: Floats
    table: Floats
    fit: Bools
    groups: Ints | None
    others: Floats
    groups_of_others: Ints | None
    lost: int
    recorded: bool


def pair(scored: Scored, people: People, groups: Ints | None) -> Pairs:
    """Puts a criterion's scores beside its labels; `groups` has the group of every item."""
    given = np.isfinite(people.values)
    places, human, table = people.places[given], people.values[given], people.table[given]
    at = np.searchsorted(scored.places, places)
    at[at == len(scored.places)] = 0
    there = scored.places[at] == places
    judge = np.where(there, scored.values[at], np.nan)
    both = np.isfinite(judge)
    labelled = np.isin(scored.places, people.places)
    rest = ~labelled & np.isfinite(scored.values)
    return Pairs(
        judge=judge[both],
        human=human[both],
        table=table[both],
        fit=~people.uncertain[given][both],
        groups=None if groups is None else groups[places[both]],
        others=scored.values[rest],
        groups_of_others=None if groups is None else groups[scored.places[rest]],
        lost=int(np.sum(there & ~both)),
        recorded=people.recorded,
    )
