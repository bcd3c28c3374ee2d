"""Labelled items, dealt once into those that a search may see and those that it never does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.variants import effects_of, statistic_of
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Scale, value_range
from adjudge.core.verdict import Verdict
from adjudge.errors import DataError
from adjudge.stats.arrays import Bools, Floats, Ints
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.mean import share
from adjudge.stats.paired import Paired, paired_difference
from adjudge.stats.people import people_of
from adjudge.stats.selection import agreement_of
from adjudge.stats.stat import Stat

FEWEST = 20  # independent labelled items or groups: ten on either side
Values = Mapping[str, Floats]  # by criterion, a number per item, NaN where there is none


@dataclass(frozen=True, slots=True)
class Sample:
    """Items with what people say of them, by criterion, and the group that each belongs to.

    `measures` has by criterion what counts as agreement; `comments` by item what raters wrote.
    """

    items: tuple[Item, ...]
    human: Values
    groups: Ints
    scales: Mapping[str, Scale]
    measures: Mapping[str, str]
    comments: Mapping[str, tuple[str, ...]]

    def part(self, chosen: Bools | Sequence[int]) -> Sample:
        """Those that are marked, or those in these places in their order."""
        at = np.asarray(chosen)
        at = np.flatnonzero(at) if at.dtype == np.bool_ else at
        human = {name: values[at] for name, values in self.human.items()}
        items = tuple(self.items[place] for place in at)
        return Sample(items, human, self.groups[at], self.scales, self.measures, self.comments)

    def values(self, verdicts: Sequence[Verdict | None]) -> Values:
        """The scores as numbers, a name as its place."""
        return {
            name: np.array([_number(scale, verdict, name) for verdict in verdicts])
            for name, scale in self.scales.items()
        }

    def agreement(self, values: Values) -> float:
        """The mean over the criteria. Items without a score count as agreement of 0."""
        return float(np.mean([self._of_criterion(name, values[name]) for name in self.scales]))

    def _of_criterion(self, name: str, judge: Floats) -> float:
        asked = np.isfinite(self.human[name])
        both = asked & np.isfinite(judge)
        if both.sum() < 2:
            return 0.0
        statistic = statistic_of(self.measures[name], self.scales[name])
        value = statistic(judge[both], self.human[name][both])
        return (0.0 if value is None else value) * float(both.sum() / asked.sum())

    def closeness(self, values: Values) -> Floats:
        """Per item how near judge and people are, 0-1, over the criteria; 0 without a score."""
        columns = [_near(self.scales[name], values[name], self.human[name]) for name in self.scales]
        table = np.column_stack(columns)
        known = np.column_stack([np.isfinite(self.human[name]) for name in self.scales])
        sums = np.where(known, np.nan_to_num(table), 0.0).sum(axis=1)
        return np.asarray(sums / np.maximum(known.sum(axis=1), 1))

    def compare(self, before: Values, after: Values, options: Resampling) -> BeforeAfter:
        """Two judges on the same items, item by item; those without both scores are left out."""
        both = np.ones(len(self.items), dtype=np.bool_)
        for name in self.scales:
            both &= np.isfinite(self.human[name]) & np.isfinite(before[name])
            both &= np.isfinite(after[name])
        groups = self.groups[both]
        effects = [self._effects(values, both) for values in (before, after)]
        apart = paired_difference(effects[1], effects[0], groups, options)
        first, second = (self._stat(rows, groups, options) for rows in effects)
        moved = (self.closeness(after) - self.closeness(before))[both]
        return BeforeAfter(
            before=first,
            after=second,
            paired=apart,
            nearer=int((moved > 0).sum()),
            same=int((moved == 0).sum()),
            farther=int((moved < 0).sum()),
            lost=int((~both).sum()),
        )

    def _effects(self, values: Values, both: Bools) -> Floats:
        """What each item adds to the agreement, over the criteria. A judge that gives the same to
        every item has none."""
        rows = [
            effects_of(self.measures[name], scale, values[name][both], self.human[name][both])
            for name, scale in self.scales.items()
        ]
        return np.asarray(np.nan_to_num(np.mean(rows, axis=0)))

    def _stat(self, effects: Floats, groups: Ints, options: Resampling) -> Stat:
        alone = len(self.scales) == 1 and "exact" in self.measures.values()
        return (share if alone else agreement_of)(effects, groups, options.confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeAfter:
    """Agreement with people before and after; `paired` is after minus before in what each item adds
    to it. `nearer`, `same` and `farther` count the items whose score is nearer to people's than
    before, as near, or farther from it; `lost` those that one of the two has no score for."""

    before: Stat
    after: Stat
    paired: Paired
    nearer: int
    same: int
    farther: int
    lost: int


def sample_of(
    items: Sequence[Item],
    labels: Sequence[Label],
    judge: Judge,
    measures: Mapping[str, str],
    group: str | None,
    least: int = FEWEST,
) -> Sample:
    """DataError where fewer than `least` items, or groups of them, have labels.

    Without a `group` column, items that share all texts but the judged ones belong together, as
    answers to one question do; where that leaves too few groups, each item counts by itself.
    """
    places = {item.id: at for at, item in enumerate(items)}
    scales = {name: judge.rubric.criteria[name].scale for name in measures}
    people = people_of([label for label in labels if label.criterion in scales], places, scales)
    human = {}
    for name in scales:
        values = np.full(len(items), np.nan)
        if name in people.people:
            values[people.people[name].places] = people.people[name].values
        human[name] = values
    comments: dict[str, tuple[str, ...]] = {}
    for label in labels:
        if label.comment:
            comments[label.item] = (*comments.get(label.item, ()), label.comment)
    groups = np.unique(group_keys(items, judge, group), return_inverse=True)[1].astype(np.intp)
    whole = Sample(tuple(items), human, groups, scales, measures, comments)
    labelled = np.any([np.isfinite(values) for values in human.values()], axis=0)
    known = whole.part(np.asarray(labelled))
    count = len(np.unique(known.groups))
    if count < least:
        raise DataError(Reason("improve.few", count=count, least=least))
    return known


def group_keys(items: Sequence[Item], judge: Judge, column: str | None) -> list[str]:
    """By item, what those that belong together have in common."""
    if column is not None:
        if not any(column in item.extra or column in item.fields for item in items):
            known = tuple(dict.fromkeys(name for item in items for name in item.extra))
            raise DataError(Reason("query.no_column", known=known).at_option("group", column))
        keys = [str(item.extra.get(column, item.fields.get(column))) for item in items]
    else:
        shared = [name for name in judge.inputs if name not in judge.judged]
        keys = [repr([item.fields.get(name) for name in shared]) for item in items]
        if not shared or len(set(keys)) < max(FEWEST, len(items) // 4):
            keys = [item.id for item in items]
    return keys


def held_out(sample: Sample, portion: float, seed: int) -> Bools:
    """Which items the search never sees: so many of the groups, drawn by lot among those with
    about the same labels, so that both parts have all kinds."""
    chance = np.random.default_rng(seed)
    height = np.zeros(len(sample.items))
    for values in sample.human.values():
        height += np.nan_to_num((values - np.nanmean(values)) / (np.nanstd(values) or 1.0))
    groups = np.unique(sample.groups)
    levels = np.array([height[sample.groups == group].mean() for group in groups])
    order = groups[np.lexsort((chance.random(len(groups)), levels))]
    counted = np.floor(np.arange(len(order) + 1) * portion + chance.random())
    return np.asarray(np.isin(sample.groups, order[np.diff(counted) > 0]))


def _number(scale: Scale, verdict: Verdict | None, name: str) -> float:
    score = verdict.scores.get(name) if verdict is not None else None
    if score is None or score.value is None:
        return float("nan")
    if isinstance(scale, Category):
        return float(scale.options.index(str(score.value)))
    return float(score.value)


def _near(scale: Scale, judge: Floats, human: Floats) -> Floats:
    if isinstance(scale, Category):
        return np.where(np.isfinite(judge), (judge == human).astype(float), np.nan)
    low, high = value_range(scale) or (0.0, 1.0)
    return np.asarray(1.0 - np.abs(judge - human) / (high - low))
