"""The items of a run that did worst, and those without a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.browsing.index import RunIndex
from adjudge.analysis.spans import span
from adjudge.stats.arrays import Floats
from adjudge.stores.records import Entry


@dataclass(frozen=True, slots=True)
class Shown:
    """An item that is shown in full: all verdicts on it, and its mean over all criteria on 0-1,
    None where it has none."""

    unit: float | None
    entries: tuple[Entry, ...]


def lowest_items(index: RunIndex, most: int) -> tuple[Shown, ...]:
    """The lowest mean first, of equals the first in the data; names and likelihoods, which lie on
    no scale from worst to best, do not count."""
    units = _mean_units(index)
    scored = np.flatnonzero(np.isfinite(units))
    order = scored[np.lexsort((index.columns.position[scored], units[scored]))]
    return _shown(index, order[:most].tolist(), units)


def unscored_items(index: RunIndex, most: int) -> tuple[Shown, ...]:
    """Items that lack a score of some judge, model and criterion, in the order of the data."""
    lacking = np.zeros(len(index.columns.items), dtype=np.bool_)
    for grader in index.graders:
        for criterion in grader.criteria:
            lacking |= grader.here & np.isnan(grader.values(criterion)) & ~grader.divided(criterion)
    places = np.flatnonzero(lacking)
    order = places[np.argsort(index.columns.position[places], kind="stable")]
    return _shown(index, order[:most].tolist(), _mean_units(index))


def _mean_units(index: RunIndex) -> Floats:
    """By item, the mean of what its judges, models and criteria gave; NaN without any."""
    size = len(index.columns.items)
    sums, counts = np.zeros(size), np.zeros(size)
    for grader in index.graders:
        for criterion in grader.criteria:
            ends = span(grader.scale_of(criterion).scale) if grader.on_scale else None
            if ends is None:
                continue
            values = grader.values(criterion)
            known = np.isfinite(values)
            sums += np.where(known, (values - ends[0]) / (ends[1] - ends[0]), 0.0)
            counts += known
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _shown(index: RunIndex, places: Sequence[int], units: Floats) -> tuple[Shown, ...]:
    found = []
    for place in places:
        unit = float(units[place])
        entries = tuple(index.entries(index.columns.items[place]))
        found.append(Shown(None if np.isnan(unit) else unit, entries))
    return tuple(found)
