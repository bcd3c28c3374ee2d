"""One judge and model of a run: what its repeats come to, item by item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from adjudge.analysis.divided import settled
from adjudge.analysis.scored import Scored
from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Category
from adjudge.stats.arrays import Bools, Floats

from .columns import Repeat

_DECIMALS = 10  # as analysis.scored has it: means of the same values must not differ by their order


@dataclass(frozen=True)
class Grader:
    """All arrays that its methods give have a place an item, NaN where there is nothing."""

    judge: Judge
    model: str
    samples: Mapping[int, Repeat]
    _merged: dict[str, Floats] = field(default_factory=dict, repr=False, compare=False)
    _scored: dict[str, Scored] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        return f"{self.judge.name} by {self.model}"

    @property
    def repeats(self) -> int:
        return len(self.samples)

    @cached_property
    def criteria(self) -> tuple[str, ...]:
        return tuple(self.judge.rubric.criteria)

    @property
    def on_scale(self) -> bool:
        return self.judge.method != "likelihood"

    @cached_property
    def here(self) -> Bools:
        """Where there is a verdict."""
        found: Bools = np.logical_or.reduce([each.here for each in self.samples.values()])
        return found

    def named(self, criterion: str) -> bool:
        """Whether the values of the criterion are places among names."""
        return self.on_scale and isinstance(self.scale_of(criterion).scale, Category)

    def scale_of(self, criterion: str) -> Criterion:
        return self.judge.rubric.criteria[criterion]

    def values(self, criterion: str) -> Floats:
        """The mean over the scored repeats; of names the one given most often, NaN for two."""
        known = self._merged.get(criterion)
        if known is None:
            known = self._merged[criterion] = self._values(criterion)
        return known

    def _values(self, criterion: str) -> Floats:
        stack = self.stacked("value", criterion)
        scale = self.scale_of(criterion).scale
        if len(stack) == 1:
            only: Floats = stack[0]
            return only
        if isinstance(scale, Category) and self.on_scale:
            options = range(len(scale.options))
            return settled(np.stack([(stack == at).sum(axis=0) for at in options], axis=1))[0]
        return np.round(_mean(stack), _DECIMALS)

    def divided(self, criterion: str) -> Bools:
        """Where two names were given equally often: there are scores, and no value."""
        if not self.named(criterion) or self.repeats == 1:
            return np.zeros(len(self.here), dtype=np.bool_)
        given = np.isfinite(self.stacked("value", criterion)).any(axis=0)
        apart: Bools = given & np.isnan(self.values(criterion))
        return apart

    def mean_of(self, what: str, criterion: str) -> Floats:
        """Of units or confidences, over the repeats that have one."""
        stack = self.stacked(what, criterion)
        return stack[0] if len(stack) == 1 else _mean(stack)

    def stacked(self, what: str, criterion: str) -> Floats:
        """A row a repeat, of an array of `Repeat` that is about scores."""
        at = self.criteria.index(criterion)
        rows: Floats = np.stack([getattr(each, what)[at] for each in self.samples.values()])
        return rows

    def scored(self, criterion: str) -> Scored:
        """As the rest of the analysis takes it."""
        known = self._scored.get(criterion)
        if known is None:
            judged = np.stack([each.here for each in self.samples.values()])
            known = self._scored[criterion] = Scored(
                criterion,
                self.scale_of(criterion).scale,
                np.flatnonzero(self.here),
                self.values(criterion)[self.here],
                int(judged.sum()),
                int((judged & np.isnan(self.stacked("value", criterion))).sum()),
                self.on_scale,
                int(self.divided(criterion).sum()),
            )
        return known


def _mean(stack: Floats) -> Floats:
    known = np.isfinite(stack)
    counts = known.sum(axis=0)
    sums = np.where(known, stack, 0.0).sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
