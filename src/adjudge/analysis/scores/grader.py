"""One judge and model of a run: what its repeats come to, item by item.

The rule for repeats stands here alone: an item's repeats are made one over the scored ones first,
numbers by their mean, names by the one given most often. Means, shares and intervals then count
items, and what has no score is counted beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Category, Number, Scale
from adjudge.core.score import SETTLED, Outcome
from adjudge.stats.arrays import Bools, Floats, Ints, mean_of_known
from adjudge.stats.combine import vote
from adjudge.stores.facts import OUTCOMES

from .item_values import DECIMALS, DIVIDED, ByGrader, CriterionFigures

Bytes = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.uint32]
_SETTLED = [OUTCOMES.index(outcome) for outcome in sorted(SETTLED)]
_NOT_APPLICABLE = OUTCOMES.index(Outcome.NOT_APPLICABLE)
_VOID = OUTCOMES.index(Outcome.VOID)


@dataclass(frozen=True, slots=True)
class Repeat:
    """What one judge and model said in one repeat; all arrays have an entry per item.

    `here` is false where there is no verdict. Arrays of scores have a row per criterion, in the
    judge's order: `value` on its scale (yes is 1; a name is its place among the options; NaN none),
    `rule` as a place in `RunArrays.rules`, 0 for none. Outcomes are places in `facts.OUTCOMES`.
    `cut`: the model did not see all of a text.
    """

    here: Bools
    outcome: Bytes
    cut: Bools
    tokens_in: Counts
    tokens_out: Counts
    cost: Floats
    latency: Floats
    value: Floats
    unit: Floats
    confidence: Floats
    rule: Bytes
    score_outcome: Bytes
    wrong_language: Bools
    unsupported: Bools


def over_repeats(samples: Floats, *, names: bool = False) -> Floats:
    """From a row per repeat and a column per item: the value of each item, NaN without any.

    Numbers are averaged. Of names the commonest counts; an item that two were given equally often
    is divided, and has none: giving it to either would favour the one that the rubric lists, or the
    model gave, first, and a share of an item would fit no table of counts. A panel whose votes are
    equal is treated alike.
    """
    if len(samples) == 1:
        return np.asarray(samples[0])
    return vote(samples.T)[0] if names else np.round(mean_of_known(samples), DECIMALS)


@dataclass(frozen=True, slots=True)
class CriterionScores(CriterionFigures):
    """One criterion by one judge and model, an entry per item that it judged.

    `places` are the items, by their place in the run, and `values` what each came to over its
    repeats, NaN without any score. Yes is 1 and no is 0; a name is its place among the options.
    `divided` marks items that two names were given equally often. `scores` counts all repeats,
    `unscored` those of them without a value. Items that the criterion does not apply to are left
    out, and counted in `not_applicable`; `void` counts those whose overall score a required part
    voids. `on_scale` is false for likelihoods, which are plain
    numbers with an order and no place on the criterion's scale, also where that has names.
    """

    criterion: str
    scale: Scale
    places: Ints
    values: Floats
    scores: int
    unscored: int
    on_scale: bool = True
    divided: Bools | None = None
    not_applicable: int = 0
    void: int = 0

    @property
    def known(self) -> Floats:  # type: ignore[override]  # where the base has a field
        """The values of the items that have one."""
        return self.values[np.isfinite(self.values)]

    @property
    def divided_items(self) -> int:  # type: ignore[override]
        return 0 if self.divided is None else int(self.divided.sum())

    @property
    def unscored_items(self) -> int:
        return len(self.values) - self.scored_items

    def at(self, places: Ints) -> Floats:
        """The values of the items at these places; NaN without any."""
        if not len(self.places):
            return np.full(len(places), np.nan)
        at = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
        return np.where(self.places[at] == places, self.values[at], np.nan)

    def among(self, items: Bools) -> CriterionScores:
        """Of some items of the run alone; repeats are not counted."""
        kept = items[self.places]
        return replace(
            self,
            places=self.places[kept],
            values=self.values[kept],
            divided=None if self.divided is None else self.divided[kept],
            scores=0,
            unscored=0,
        )


@dataclass(frozen=True, slots=True)
class GraderScores(ByGrader):
    """One judge and model with its repeats made one. `fingerprints` are those that its scored
    verdicts bear: more than one where a part was read again by another reader. `unscored` of its
    `verdicts` lack a value for some criterion. `cost` is USD per 1,000 verdicts, None where it
    is not known."""

    judge: Judge
    model: str
    fingerprints: tuple[str, ...]
    verdicts: int
    unscored: int
    criteria: Mapping[str, CriterionScores]
    cost: float | None

    @property
    def unsettled(self) -> Reason | None:
        """Why no single fingerprint stands for all scores; None when one does."""
        if len(self.fingerprints) == 1:
            return None
        if self.fingerprints:
            return Reason("another_reader")
        return Reason("nothing_scored")


@dataclass(frozen=True)
class Grader(ByGrader):
    """One judge and model with all its repeats. All arrays that its methods give have an entry per
    item of the run, NaN where there is nothing."""

    judge: Judge
    model: str
    samples: Mapping[int, Repeat]
    _values: dict[str, Floats] = field(default_factory=dict, repr=False, compare=False)
    _scored: dict[str, CriterionScores] = field(default_factory=dict, repr=False, compare=False)

    @property
    def repeats(self) -> int:
        return len(self.samples)

    @cached_property
    def criteria(self) -> tuple[str, ...]:
        return tuple(self.judge.rubric.measures)

    @property
    def on_scale(self) -> bool:
        return self.judge.method != "likelihood"

    @cached_property
    def here(self) -> Bools:
        """Where there is a verdict."""
        return np.asarray(np.logical_or.reduce([one.here for one in self.samples.values()]))

    @property
    def verdicts(self) -> int:
        return sum(int(sample.here.sum()) for sample in self.samples.values())

    def criterion(self, name: str) -> Criterion:
        """As the judge has it; the scale of points that come with the items reaches as far as they
        did."""
        criterion = self.judge.rubric.measures[name]
        if not self.judge.listed or not isinstance(criterion.scale, Number):
            return criterion
        at, scale = self.criteria.index(name), criterion.scale
        seen = np.stack([sample.value[at] for sample in self.samples.values()])
        low = float(np.nanmin(seen, initial=scale.min, where=np.isfinite(seen)))
        high = float(np.nanmax(seen, initial=scale.max, where=np.isfinite(seen)))
        return replace(criterion, scale=Number(low, high))

    def options(self, criterion: str) -> Sequence[str] | None:
        """The names that the values of the criterion are places among; None for numbers."""
        scale = self.criterion(criterion).scale
        return scale.options if self.on_scale and isinstance(scale, Category) else None

    def values(self, criterion: str) -> Floats:
        """What each item came to over its repeats."""
        known = self._values.get(criterion)
        if known is None:
            stack = self.stacked("value", criterion)
            known = over_repeats(stack, names=self.options(criterion) is not None)
            self._values[criterion] = known
        return known

    def answers(self, criterion: str) -> npt.NDArray[Any]:
        """The values as numbers; or the names themselves, DIVIDED where two were given equally
        often, None for none."""
        values, options = self.values(criterion), self.options(criterion)
        if options is None:
            return values
        names = np.full(len(values), None, dtype=object)
        known = np.isfinite(values)
        names[known] = np.array(options, dtype=object)[values[known].astype(np.intp)]
        names[self.divided(criterion)] = DIVIDED
        return names

    def divided(self, criterion: str) -> Bools:
        """Where two names were given equally often: there are scores, and no value."""
        if self.repeats == 1 or self.options(criterion) is None:
            return np.zeros(len(self.here), dtype=np.bool_)
        scored = np.isfinite(self.stacked("value", criterion)).any(axis=0)
        return np.asarray(scored & np.isnan(self.values(criterion)))

    def mean_of(self, what: str, criterion: str) -> Floats:
        """Of units or confidences, over the repeats that have one."""
        stack = self.stacked(what, criterion)
        return stack[0] if len(stack) == 1 else mean_of_known(stack)

    def stacked(self, what: str, criterion: str) -> Floats:
        """A row per repeat, of an array of `Repeat` that is about scores."""
        at = self.criteria.index(criterion)
        return np.stack([getattr(sample, what)[at] for sample in self.samples.values()])

    def applies(self, criterion: str) -> Bools:
        """Where there is a verdict, and not all repeats say that the criterion does not apply."""
        none = self.stacked("score_outcome", criterion) == _NOT_APPLICABLE
        return np.asarray(self.here & ~none.all(axis=0))

    def _void(self, criterion: str) -> int:
        """The items without a value whose overall score is void."""
        void = (self.stacked("score_outcome", criterion) == _VOID).any(axis=0)
        return int((void & np.isnan(self.values(criterion))).sum())

    def scored(self, criterion: str) -> CriterionScores:
        """The criterion with its repeats made one."""
        known = self._scored.get(criterion)
        if known is None:
            judged = np.stack([sample.here for sample in self.samples.values()])
            judged &= self.stacked("score_outcome", criterion) != _NOT_APPLICABLE
            applies = self.applies(criterion)
            known = self._scored[criterion] = CriterionScores(
                criterion,
                self.criterion(criterion).scale,
                np.flatnonzero(applies),
                self.values(criterion)[applies],
                int(judged.sum()),
                int((judged & np.isnan(self.stacked("value", criterion))).sum()),
                self.on_scale,
                self.divided(criterion)[applies],
                int((self.here & ~applies).sum()),
                self._void(criterion),
            )
        return known

    def scores(self, fingerprints: Sequence[str] = ()) -> GraderScores:
        """Every criterion with its repeats made one, without the repeats themselves."""
        return GraderScores(
            self.judge,
            self.model,
            tuple(fingerprints),
            self.verdicts,
            sum(
                int((sample.here & ~np.isin(sample.outcome, _SETTLED)).sum())
                for sample in self.samples.values()
            ),
            {name: self.scored(name) for name in self.criteria},
            self.per_thousand("cost"),
        )

    def per_thousand(self, what: str) -> float | None:
        """The cost or latency of 1,000 verdicts; None where it is not known for all.

        A reply from the cache costs nothing and takes no time, which says nothing about the next
        one: those count that somebody waited or paid for."""
        samples = [
            (one, one.here & ((one.latency > 0) | (one.cost != 0))) for one in self.samples.values()
        ]
        figures = np.concatenate([getattr(one, what)[asked] for one, asked in samples])
        known = len(figures) and not np.isnan(figures).any()
        return float(figures.mean()) * 1000 if known else None
