"""How much each member of a panel counts: as far as it agrees with people beyond chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.errors import DataError
from adjudge.stats.arrays import Floats
from adjudge.stats.corrected import FEWEST_LABELS
from adjudge.stats.isotonic import folds_of
from adjudge.stats.kappa import cohen_kappa, quadratic_kappa
from adjudge.stats.measure import Measure

from .people import People

_FOLDS = 10


@dataclass(frozen=True, slots=True)
class Weights:
    """`final` rests on all labels, one a member, and they sum to 1. `by_item` has a row an item: a
    labelled item is weighed by the other labels only, so that it is fair to hold the panel's value
    against its label."""

    final: Floats
    by_item: Floats


def weigh(table: Floats, people: People, measure: Measure, seed: int) -> Weights:
    """Kappa with people, 0 where that is below 0 or undefined; `table` has items by members.

    DataError where labels are too few, or no member agrees with people better than by chance.
    """
    known = np.isfinite(people.values)
    places, human = people.places[known], people.values[known]
    if len(places) < FEWEST_LABELS:
        raise DataError(
            f"--how weighted: {len(places)} labelled items are too few to weigh the members; label"
            f" at least {FEWEST_LABELS}."
        )
    final = _weights(table[places], human, measure)
    by_item = np.tile(final, (len(table), 1))
    fold = folds_of(None, len(places), _FOLDS, seed)
    for out in range(_FOLDS):
        here = fold == out
        by_item[places[here]] = _weights(table[places[~here]], human[~here], measure)
    return Weights(final, by_item)


def _weights(given: Floats, human: Floats, measure: Measure) -> Floats:
    kappa = quadratic_kappa if measure.ordered else cohen_kappa
    found = []
    for column in given.T:
        here = np.isfinite(column)
        found.append(max(0.0, kappa(column[here], human[here]) or 0.0))
    total = sum(found)
    if not total:
        raise DataError(
            "--how weighted: no member agrees with people better than by chance; there is nothing"
            " to weigh them by."
        )
    return np.array(found) / total
