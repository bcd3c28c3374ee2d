"""A mean that can be defended: the judge's, and what people would have given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from adjudge.analysis.scores.grader import CriterionScores
from adjudge.analysis.scores.intervals import NO_MEAN
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, value_range
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.mean import Bounds
from adjudge.stats.ppi import FEWEST_LABELS, Corrected, LabelsNeeded, labels_needed, ppi_mean
from adjudge.stats.random_draw import DrawCheck, drawn_at_random
from adjudge.stats.rogan_gladen import rogan_gladen
from adjudge.stats.stat import Stat, undefined
from adjudge.stats.strata import fitted, further_labels, joined, stratified_mean

from .agreement import OFF_SCALE
from .pairs import LabelledPairs

_OTHER_ITEMS = 0.05  # of the run, which a plan may not know: scored later, or no more
_RECORDED = DrawCheck(None, looks_random=True, test="recorded")


@dataclass(frozen=True, slots=True)
class Means:
    """`raw` is the judge's mean over scored items; with every unscored item at an end of the scale
    it would lie within `bounds`. `corrected` is the mean that people would give, by PPI++ or by the
    strata of a plan, and `by_errors` the same for yes and no from the judge's error rates (Rogan
    and Gladen); both say why when they must not be given. `needed` answers a wish for a width."""

    raw: Stat
    bounds: Bounds | None
    corrected: Corrected
    by_errors: Corrected | None
    draw: DrawCheck
    needed: LabelsNeeded | None = None


def no_means() -> Means:
    """What there is to say of names."""
    none = undefined(NO_MEAN)
    corrected = Corrected(none, "none", 0, 0, none)
    return Means(none, None, corrected, None, DrawCheck(None, None, None, NO_MEAN))


def means(
    scored: CriterionScores,
    pairs: LabelledPairs,
    chance: Reason | None,
    raw: tuple[Stat, Bounds | None],
    *,
    confidence: float,
    width: float | None,
) -> Means:
    """The judge's mean beside the corrected one; `chance` says why the judge is no better than
    chance, if it is not. Where a plan drew the labels, its strata are what the mean rests on."""
    random = pairs.fit & ~pairs.planned
    if pairs.planned.any() and (_of_all_items(pairs) or random.sum() < FEWEST_LABELS):
        return _planned(scored, pairs, raw, confidence=confidence, width=width)
    pairs = replace(pairs, fit=random)
    usable = _Usable.of(pairs)
    draw = _draw(pairs, usable)
    picked = _too_many_picked(pairs)
    refused = picked or _refusal(usable, draw, chance)
    by_ppi = ppi_mean(
        usable.human, usable.judge, usable.others, usable.groups, usable.groups_of_others,
        confidence=confidence,
    )  # fmt: skip
    if (ends := value_range(scored.scale)) is not None and scored.on_scale:
        by_ppi = replace(by_ppi, stat=by_ppi.stat.within(*ends))
    if refused and (picked or by_ppi.stat.value is not None):
        by_ppi = replace(by_ppi, stat=undefined(refused), weight=None)
    needed = None
    if width is not None:
        needed = labels_needed(
            usable.human, usable.judge, usable.others, width, usable.groups, confidence=confidence
        )
    by_errors = _by_errors(scored, usable, confidence)
    return Means(raw[0], raw[1], by_ppi, by_errors, draw, needed)


def _planned(
    scored: CriterionScores,
    pairs: LabelledPairs,
    raw: tuple[Stat, Bounds | None],
    *,
    confidence: float,
    width: float | None,
) -> Means:
    """Labels that no plan drew are left out: what stratum they stand for is not known."""
    drawn = pairs.planned
    human, judge = pairs.human[drawn], pairs.judge[drawn]
    scores = np.concatenate([pairs.judge, pairs.others])
    known, strata = np.unique(cast(Ints, pairs.strata)[drawn], axis=0, return_inverse=True)
    strata, sizes = joined(strata.reshape(-1), known[:, 1].astype(np.float64))
    refused = None
    if not _of_all_items(pairs):
        refused = Reason("plan_part", items=int(sizes.sum()), rows=len(scores))
    elif pairs.groups is not None:
        refused = Reason("plan_groups")
    corrected = stratified_mean(
        human, judge, strata, sizes, float(scores.mean()), confidence=confidence
    )
    if (ends := value_range(scored.scale)) is not None and scored.on_scale:
        corrected = replace(corrected, stat=corrected.stat.within(*ends))
    needed = None
    if refused:
        corrected = replace(corrected, stat=undefined(refused), weight=None)
    elif width is not None and corrected.stat.value is not None:
        needed = further_labels([fitted(human, judge, strata, sizes)[0]], [width], confidence)
    return Means(raw[0], raw[1], corrected, None, _RECORDED, needed)


def _of_all_items(pairs: LabelledPairs) -> bool:
    """Whether the strata with labels are all that the run's items fall into."""
    sizes = np.unique(cast(Ints, pairs.strata)[pairs.planned], axis=0)[:, 1].sum()
    rows = len(pairs.judge) + len(pairs.others)
    return bool(abs(sizes - rows) <= _OTHER_ITEMS * rows)


@dataclass(frozen=True, slots=True)
class _Usable:
    """The rows that a correction rests on: an item picked as uncertain counts as unlabelled."""

    human: Floats
    judge: Floats
    others: Floats
    groups: Ints | None
    groups_of_others: Ints | None

    @classmethod
    def of(cls, pairs: LabelledPairs) -> _Usable:
        fit = pairs.fit
        groups = others = None
        if pairs.groups is not None and pairs.groups_of_others is not None:
            groups = pairs.groups[fit]
            others = np.concatenate([pairs.groups_of_others, pairs.groups[~fit]])
        scores = np.concatenate([pairs.others, pairs.judge[~fit]])
        return cls(pairs.human[fit], pairs.judge[fit], scores, groups, others)


def _draw(pairs: LabelledPairs, usable: _Usable) -> DrawCheck:
    if not len(usable.others):
        return DrawCheck(None, looks_random=True, test="every item is labelled")
    if pairs.uncertain and not len(usable.human):
        return DrawCheck(None, looks_random=False, test="recorded", why=_too_many_picked(pairs))
    if pairs.recorded:
        return _RECORDED
    return drawn_at_random(usable.judge, usable.others)


def _refusal(usable: _Usable, draw: DrawCheck, chance: Reason | None) -> Reason | None:
    """Why a mean must not be corrected with these labels; None when it may.

    Where every item is labelled there is nothing to foresee: the labels are the answer.
    """
    if not len(usable.others):
        return None
    if draw.looks_random is False:
        return Reason("no_draw", why=draw.why)
    return chance


def _too_many_picked(pairs: LabelledPairs) -> Reason | None:
    """That too few labels are left without the items picked as uncertain; None otherwise."""
    picked, labelled = pairs.uncertain, len(pairs.fit)
    if not picked or labelled - picked >= FEWEST_LABELS:
        return None
    if picked == labelled:
        return Reason("all_picked", count=labelled)
    return Reason("picked", picked=picked, count=labelled)


def _by_errors(scored: CriterionScores, usable: _Usable, confidence: float) -> Corrected | None:
    if not isinstance(scored.scale, Binary):
        return None
    everything = np.concatenate([usable.human, usable.judge, usable.others])
    if not scored.on_scale or not np.isin(everything, (0, 1)).all():
        divided = Reason("divided")
        none = undefined(divided if scored.on_scale else OFF_SCALE)
        return Corrected(none, "rogan-gladen", len(usable.human), len(usable.others), none)
    return rogan_gladen(
        usable.human, usable.judge, usable.others, usable.groups, usable.groups_of_others,
        confidence=confidence,
    )  # fmt: skip
