"""Several raters of the same items: what a judge can reach, and whether it may stand in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.stats.agreement import Agreement, agreement
from adjudge.stats.alpha import alpha
from adjudge.stats.alt_test import AltTest, alternative_annotator_test
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.measure import Measure
from adjudge.stats.raters import Ceiling, ceiling
from adjudge.stats.stat import Stat

from .pairs import Pairs


@dataclass(frozen=True, slots=True)
class Raters:
    """People among themselves, on the items that the judge scored and two of them labelled.

    `judge` has the judge's agreement with each rater alone, in the order of `names`; `ceiling` the
    raters' agreement with each other; `alpha` is Krippendorff's over the raters.
    """

    names: tuple[str, ...]
    items: int
    alpha: Stat
    ceiling: Ceiling
    judge: tuple[Agreement, ...]
    stands_in: AltTest


def raters_of(
    pairs: Pairs, names: tuple[str, ...], measure: Measure, resampling: Resampling
) -> Raters | None:
    """What several raters tell; None where no item has two."""
    several = np.isfinite(pairs.table).sum(axis=1) >= 2
    if not several.any():
        return None
    return Raters(
        names=names,
        items=int(several.sum()),
        alpha=alpha(pairs.table[several], measure.level, resampling),
        ceiling=ceiling(pairs.table[several], measure, resampling),
        judge=tuple(_with(pairs, at, measure, resampling) for at in range(len(names))),
        stands_in=alternative_annotator_test(pairs.judge, pairs.table, measure.level),
    )


def _with(pairs: Pairs, rater: int, measure: Measure, resampling: Resampling) -> Agreement:
    here = np.isfinite(pairs.table[:, rater])
    return agreement(
        pairs.judge[here],
        pairs.table[here, rater],
        None if pairs.groups is None else pairs.groups[here],
        level=measure.level,
        tolerance=measure.tolerance,
        resampling=resampling,
    )
