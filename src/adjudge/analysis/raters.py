"""Several raters of the same items: what a judge can reach, and whether it may stand in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.stats.agreement import Agreement, agreement
from adjudge.stats.alpha import alpha
from adjudge.stats.alt_test import AltTest, RaterTest, alternative_annotator_test
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.measure import Measure
from adjudge.stats.raters import Ceiling, ceiling
from adjudge.stats.stat import Stat, undefined

from .off_scale import OFF_SCALE, order_alone
from .pairs import Rated

# The margin of the alternative annotator test: its authors' for crowd workers, and the strictest.
EPSILON = 0.1


@dataclass(frozen=True, slots=True)
class Raters:
    """People among themselves, on the `items` that two of them labelled, and beside the judge.

    Items that they are divided on count. `judge` has the judge's agreement with each rater alone,
    in the order of `names`; `ceiling` the raters' agreement with each other; `alpha` is
    Krippendorff's over the raters.
    """

    names: tuple[str, ...]
    items: int
    alpha: Stat
    ceiling: Ceiling
    judge: tuple[Agreement, ...]
    stands_in: AltTest


def raters_of(
    rated: Rated, names: tuple[str, ...], measure: Measure, resampling: Resampling
) -> Raters | None:
    """What several raters tell; None where no item has two."""
    several = np.isfinite(rated.table).sum(axis=1) >= 2
    if not several.any():
        return None
    return Raters(
        names=names,
        items=int(several.sum()),
        alpha=alpha(rated.table[several], measure.level, resampling),
        ceiling=ceiling(rated.table[several], measure, resampling),
        judge=tuple(_with(rated, at, measure, resampling) for at in range(len(names))),
        stands_in=_stands_in(rated, measure),
    )


def _with(rated: Rated, rater: int, measure: Measure, resampling: Resampling) -> Agreement:
    here = np.isfinite(rated.table[:, rater]) & np.isfinite(rated.judge)
    found = agreement(
        rated.judge[here],
        rated.table[here, rater],
        None if rated.groups is None else rated.groups[here],
        level=measure.level,
        tolerance=measure.tolerance,
        resampling=resampling,
    )
    return found if rated.on_scale else order_alone(found)


def _stands_in(rated: Rated, measure: Measure) -> AltTest:
    if not rated.on_scale:
        why = f"needs values to set beside the raters', and {OFF_SCALE}"
        untested = RaterTest(0, None, None, None, won=False, why=why)
        none, raters = undefined(why), (untested,) * rated.table.shape[1]
        return AltTest(None, none, none, raters, why)
    here = np.isfinite(rated.judge)
    return alternative_annotator_test(
        rated.judge[here], rated.table[here], measure.level, epsilon=EPSILON
    )
