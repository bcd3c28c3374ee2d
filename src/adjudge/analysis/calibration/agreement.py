"""How far a judge agrees with people, item by item and in the order of systems, and they among
themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge.analysis.scores.reader import Column
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Category, Number, Scale
from adjudge.stats.agreement import (
    Agreement,
    ByGroup,
    Confusion,
    agreement,
    agreement_by_group,
    alpha_between,
    confusion,
)
from adjudge.stats.alpha import LEVELS, alpha
from adjudge.stats.alt_test import AltTest, RaterTest, alternative_annotator_test
from adjudge.stats.bootstrap import FEWEST, Resampling
from adjudge.stats.measure import Measure
from adjudge.stats.ppi import FEWEST_LABELS
from adjudge.stats.raters import Ceiling, ceiling
from adjudge.stats.stat import Stat, undefined
from adjudge.stats.system_level import SystemLevel, system_level

from .pairs import LabelledPairs, RatedItems

OFF_SCALE = Reason("off_scale")
_SAME_VALUE = ("exact", "adjacent", "bias", "mae", "kappa", "alpha")
_PERFECT = 1 - 1e-9
_MOST_VALUES = 12  # of a confusion matrix that can be read
# The margin of the alternative annotator test: its authors' for crowd workers, and the strictest.
EPSILON = 0.1


def measure_of(scale: Scale) -> Measure:
    """How agreement is measured on a scale.

    Adjacent is one level apart, on a scale of any numbers a tenth of it; yes and no have no
    neighbours. People's mean counts as the level that it is nearest to.
    """
    if isinstance(scale, Category):
        return Measure("nominal", 0.0)
    if isinstance(scale, Number):
        return Measure("ordinal", (scale.max - scale.min) / 10)
    return Measure("ordinal", 0.0 if isinstance(scale, Binary) else 1.0, step=1.0)


def with_each_rater(
    overall: Agreement, rated: RatedItems, measure: Measure, resampling: Resampling
) -> Agreement:
    """The same with `exact`, `adjacent` and `kappa` as they are beside each rater, averaged: two
    raters who say 1 and 2 both gave a level, their mean of 1.5 is none. Each label counts once;
    intervals count items, or their groups."""
    if not rated.several or not measure.ordered:
        return overall
    judge, human, groups = rated.labels()
    apart = agreement(judge, human, groups, measure, resampling)
    return replace(overall, exact=apart.exact, adjacent=apart.adjacent, kappa=apart.kappa)


def alphas_of(
    pairs: LabelledPairs, measure: Measure, overall: Agreement, resampling: Resampling
) -> dict[str, Stat]:
    """At each level that the values have."""
    rows = pairs.judge, pairs.human, pairs.groups
    return {
        level: overall.alpha
        if level == measure.level
        else alpha_between(*rows, Measure(level), resampling)
        for level in (LEVELS if measure.ordered else (measure.level,))
    }


def by_group_of(pairs: LabelledPairs, measure: Measure, resampling: Resampling) -> ByGroup | None:
    if pairs.groups is None or not measure.ordered:
        return None
    return agreement_by_group(pairs.judge, pairs.human, pairs.groups.tolist(), resampling)


def confusion_of(pairs: LabelledPairs, rated: RatedItems, scale: Scale) -> Confusion | None:
    """The table in the scale's own values, a count for each label; None where it would be too large
    to read. Of names it has what most raters said."""
    judge, human = pairs.judge, pairs.human
    if rated.several and not isinstance(scale, Category):
        judge, human, _ = rated.labels()
    if not len(judge) or len(np.unique([*judge, *human])) > _MOST_VALUES:
        return None
    table = confusion(judge, human)
    if isinstance(scale, Category):
        return Confusion(tuple(scale.options[int(code)] for code in table.labels), table.counts)
    return table


def no_better_than_chance(overall: Agreement, measure: Measure) -> Reason | None:
    """Why the judge is not shown to be better than chance; None where it is."""
    stat = overall.pearson if measure.ordered else overall.kappa
    if stat.value is None:
        return Reason("unmeasured", why=stat.why)
    if stat.value > _PERFECT and overall.n >= FEWEST_LABELS:
        return None  # the same in every resampled set, so without an interval
    if stat.low is None:
        return Reason("little_known", why=stat.why)
    if stat.low > 0:
        return None
    figures = {"value": stat.value, "low": stat.low, "high": stat.high}
    return Reason("chance_r", **figures) if measure.ordered else Reason("chance_kappa", **figures)


def order_alone(overall: Agreement) -> Agreement:
    """The agreement of likelihoods with people: in the same order, never of the same value."""
    unknown: dict[str, Any] = dict.fromkeys(_SAME_VALUE, undefined(OFF_SCALE))
    return replace(overall, **unknown)


@dataclass(frozen=True, slots=True)
class Raters:
    """People among themselves, on the `items` that two of them labelled, and beside the judge.

    Items that they are divided on count. `strays` are raters with so few labels in common with
    others that a figure would rest on chance; nothing else is about them. `judge` has the judge's
    agreement with each rater alone, in the order of `names`; `ceiling` the raters' agreement with
    each other; `alpha` is Krippendorff's over the raters.
    """

    names: tuple[str, ...]
    items: int
    alpha: Stat
    ceiling: Ceiling
    judge: tuple[Agreement, ...]
    stands_in: AltTest
    epsilon: float = EPSILON
    strays: tuple[str, ...] = ()


def raters_of(
    rated: RatedItems,
    names: tuple[str, ...],
    measure: Measure,
    resampling: Resampling,
    epsilon: float = EPSILON,
) -> Raters | None:
    """What several raters tell; None where no item has two. `epsilon` is the margin of the
    alternative annotator test."""
    several = np.isfinite(rated.table).sum(axis=1) >= 2
    if not several.any():
        return None
    shared = np.isfinite(rated.table[several]).sum(axis=0)
    if (shared >= FEWEST).sum() >= 2 and (shared < FEWEST).any():
        kept = np.flatnonzero(shared >= FEWEST)
        among = raters_of(
            replace(rated, table=rated.table[:, kept]),
            tuple(names[at] for at in kept),
            measure,
            resampling,
            epsilon,
        )
        if among is not None:
            strays = tuple(name for name, n in zip(names, shared, strict=True) if n < FEWEST)
            return replace(among, strays=(*among.strays, *strays))
    return Raters(
        names=names,
        items=int(several.sum()),
        alpha=alpha(rated.table[several], measure.level, resampling),
        ceiling=ceiling(rated.table[several], measure, resampling),
        judge=tuple(_with(rated, at, measure, resampling) for at in range(len(names))),
        stands_in=_stands_in(rated, measure, epsilon),
        epsilon=epsilon,
    )


def _with(rated: RatedItems, rater: int, measure: Measure, resampling: Resampling) -> Agreement:
    here = np.isfinite(rated.table[:, rater]) & np.isfinite(rated.judge)
    overall = agreement(
        rated.judge[here],
        rated.table[here, rater],
        None if rated.groups is None else rated.groups[here],
        measure,
        resampling,
    )
    return overall if rated.on_scale else order_alone(overall)


def _stands_in(rated: RatedItems, measure: Measure, epsilon: float) -> AltTest:
    if not rated.on_scale:
        why = Reason("values_needed", why=OFF_SCALE)
        untested = RaterTest(0, None, None, None, won=False, why=why)
        none, raters = undefined(why), (untested,) * rated.table.shape[1]
        return AltTest(None, none, none, raters, why)
    here = np.isfinite(rated.judge)
    return alternative_annotator_test(
        rated.judge[here], rated.table[here], measure.level, epsilon=epsilon
    )


@dataclass(frozen=True, slots=True)
class SystemAgreement:
    """One criterion. `names` are the systems with a score and a label, in the order of what `level`
    has by system; `left_out` labelled items are of no system."""

    names: tuple[str, ...]
    level: SystemLevel
    left_out: int


def system_agreement(
    pairs: LabelledPairs, systems: Column, resampling: Resampling
) -> SystemAgreement:
    """Of the items with a score and a label; their groups are the documents."""
    of = systems.codes[pairs.places]
    here = of > 0
    codes, numbers = np.unique(of[here], return_inverse=True)
    documents = None
    if pairs.groups is not None:
        documents = np.unique(pairs.groups[here], return_inverse=True)[1].astype(np.intp)
    level = system_level(
        pairs.judge[here], pairs.human[here], numbers.astype(np.intp), documents, resampling
    )
    names = tuple(systems.texts[code - 1] for code in codes.tolist())
    return SystemAgreement(names, level, int((~here).sum()))
