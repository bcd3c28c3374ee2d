"""How many labels to give next, of which items: for a wished-for width, or to tell two runs apart.

Items are put into strata by what is known of them: the judge's score, whether its models and
repeats are apart, a column of the data. The labels there are say where people and judge differ most
from item to item, and there the further labels go. How each item was drawn stays with its label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from adjudge.analysis.calibration.calibrate import LabelSource
from adjudge.analysis.scores.arrays import RunArrays
from adjudge.analysis.scores.grader import Grader
from adjudge.analysis.scores.reader import cell_text, read_arrays
from adjudge.core.label import Draw, planned
from adjudge.core.reason import Reason, check_above_0, check_share
from adjudge.core.scale import Category
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.mean import t_quantile
from adjudge.stats.people import People, people_of
from adjudge.stats.ppi import FEWEST_LABELS, LabelsNeeded, labels_needed
from adjudge.stats.stat import Stat
from adjudge.stats.strata import (
    StrataSpread,
    allocate,
    fitted,
    further_labels,
    joined,
    strata_of,
    stratified_mean,
    together,
)
from adjudge.stores import RunRecord, Store

from .labels import judge_of, scales_of
from .plan_findings import CriterionPlan, LabelPlan, PlannedStratum
from .queue import lot

PILOT = 40  # labels drawn at random, where there are too few to foresee anything
_MOST_SLICES = 6
_POWER = float(ndtri(0.8))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """What a user may say about it: the keywords of `adjudge.plan_labels`, which explains them."""

    judge: str | None = None
    criteria: tuple[str, ...] = ()
    slice: str | None = None
    width: float | None = None
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        check_above_0("width", self.width)
        check_share("confidence", self.confidence, 0.95)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of the items that the plan is about, by place among all: `target` makes what is
    to be averaged of people's values, and `control` is the judge's part of it. `difference`: of two
    runs, on the items where they differ."""

    rows: Ints
    score: Floats
    apart: Floats
    control: Mapping[str, Floats]
    target: Callable[[str, Ints, Floats], Floats]
    difference: bool = False


def plan_labels(
    record: RunRecord,
    store: Store,
    labels: LabelSource,
    options: PlanOptions,
    against: tuple[RunRecord, Store] | None = None,
) -> LabelPlan:
    """A plan for the judge's items; UsageError where there is nothing to plan for."""
    if options.width is None and against is None:
        raise UsageError(Reason("labels.plan_width"))
    judge = judge_of(record, options.judge)
    arrays = read_arrays(record, store)
    graders = [grader for grader in arrays.graders if grader.judge.name == judge]
    if not graders:
        raise UsageError(Reason("run.no_verdicts", run=record.id))
    scales = scales_of(graders[0].judge, options.criteria)
    if against is None:
        names = [name for name, scale in scales.items() if not isinstance(scale, Category)]
        if not names:
            raise UsageError(Reason("labels.plan_names"))
        known = _of_means(graders, names)
    else:
        names = list(scales)
        known = _of_difference(arrays, graders, read_arrays(*against), names)
    if len(known.rows) < FEWEST_LABELS:
        raise UsageError(Reason("labels.plan_items", count=len(known.rows), least=FEWEST_LABELS))
    slices, slice_names = _slices(record, store, arrays.places, options.slice)
    at = known.rows
    strata = strata_of(known.score[at], known.apart[at], slices[at])
    known_labels = list(labels(judge, scales))
    people = people_of(known_labels, arrays.places, scales).people if known_labels else {}
    planner = _Planner(
        arrays, known, strata, {name: people[name] for name in names if name in people}, options
    )
    other = against[0].title if against else None
    return planner.plan(record.title, judge, other, (slices, slice_names))


def _of_means(graders: Sequence[Grader], names: Sequence[str]) -> _Known:
    units = np.stack([grader.mean_of("unit", name) for name in names for grader in graders])
    values = {name: np.mean([grader.values(name) for grader in graders], axis=0) for name in names}
    rows = np.flatnonzero(np.isfinite(units).all(axis=0) & np.isfinite([*values.values()]).all(0))
    samples = [np.concatenate([one.stacked("unit", name) for one in graders]) for name in names]
    with np.errstate(invalid="ignore"):
        apart = np.mean([one.std(axis=0) for one in samples], axis=0)
    return _Known(
        rows, units.mean(axis=0), np.nan_to_num(apart), values, lambda _name, _at, said: said
    )


def _of_difference(
    arrays: RunArrays, graders: Sequence[Grader], others: RunArrays, names: Sequence[str]
) -> _Known:
    """Where two runs give an item the same, no label can tell them apart."""
    judge = graders[0].judge.name
    same = [one for one in others.graders if one.judge.name == judge] or list(others.graders)
    known = [name for name in names if same and name in same[0].criteria]
    if not known:
        raise UsageError(Reason("labels.plan_against").at_option("against"))
    places = np.array([others.places.get(item, -1) for item in arrays.places])
    first = {name: graders[0].values(name) for name in known}
    second = {name: np.where(places >= 0, same[0].values(name)[places], np.nan) for name in known}

    def gap(name: str) -> Floats:
        moved = second[name] - first[name]
        if graders[0].options(name) is not None:
            return np.where(np.isfinite(moved), (moved != 0) * 1.0, np.nan)
        return moved

    gaps = np.stack([gap(name) for name in known])
    rows = np.flatnonzero(np.isfinite(gaps).all(axis=0) & (gaps != 0).any(axis=0))

    def nearer(name: str, at: Ints, said: Floats) -> Floats:
        a, b = said - first[name][at], said - second[name][at]
        if graders[0].options(name) is not None:
            a, b = (a != 0) * 1.0, (b != 0) * 1.0
        return np.asarray(np.abs(b) - np.abs(a))

    none = np.zeros(len(places))
    return _Known(
        rows, gaps.mean(axis=0), none, dict.fromkeys(known, none), nearer, difference=True
    )


def _slices(
    record: RunRecord, store: Store, places: Mapping[str, int], column: str | None
) -> tuple[Ints, tuple[str, ...]]:
    """The slice of each item; beyond the commonest few, all are the last."""
    codes = np.zeros(len(places), dtype=np.intp)
    if column is None:
        return codes, ("",)
    values = {
        item: cell_text(value)
        for item, value in store.items.column(record.id, column)
        if value is not None and item in places
    }
    if not values:
        reason = Reason("run.no_such_column", run=record.id)
        raise UsageError(reason.at_option("slice", column))
    names, counts = np.unique(list(values.values()), return_counts=True)
    common = [str(names[at]) for at in np.argsort(-counts, kind="stable")[:_MOST_SLICES]]
    for item, place in places.items():
        value = values.get(item)
        codes[place] = common.index(value) if value in common else len(common)
    return codes, (*common, "…")


@dataclass(frozen=True, slots=True)
class _Planner:
    arrays: RunArrays
    known: _Known
    strata: Ints
    people: Mapping[str, People]
    options: PlanOptions

    def plan(
        self, run: str, judge: str, against: str | None, slices: tuple[Ints, tuple[str, ...]]
    ) -> LabelPlan:
        sizes = np.bincount(self.strata)
        plans = {name: self._criterion(name, sizes) for name in self.known.control}
        usable = {name: one for name, one in plans.items() if one is not None}
        names = tuple(self.known.control)
        shared = (run, judge, against, self.options.confidence, names, len(self.strata))
        if not usable:
            most, labelled = self._most_labels(), self._all_labelled()
            alike = most >= FEWEST_LABELS
            rest = [row for row in range(len(self.strata)) if row not in labelled]
            ids = self._ids(rest)[: PILOT - most * (not alike)]
            draws = dict.fromkeys(ids, "random") if against is None else {
                item: planned(1, len(self.strata)) for item in ids
            }  # fmt: skip
            why = (
                Reason("labels.plan_alike", count=most)
                if alike
                else Reason("labels.plan_pilot", count=most, least=FEWEST_LABELS)
            )
            return LabelPlan(*shared, (), (), tuple(ids), draws, {}, why)
        criteria, spreads = zip(*usable.values(), strict=True)
        widths = [one.width for one in criteria]
        needed = further_labels(spreads, widths, self.options.confidence)
        drawn = together(spreads, widths)
        # Where even all labels leave the interval wider than wished, all items are worth a label.
        total = int(drawn.counts.sum()) + needed.further if needed.further is not None else None
        counts = allocate(drawn, len(self.strata) if total is None else total)
        if needed.further == 0:
            counts = drawn.counts.astype(np.intp)
        items, draws = self._draw(counts, sizes)
        rows = self._strata(counts, sizes, slices)
        return LabelPlan(*shared, criteria, rows, tuple(items), draws, self._values(draws))

    def _labelled(self, name: str) -> tuple[Ints, Floats]:
        """Places among the plan's rows, and people's values; what was picked for being hard is left
        out, and so is what a plan drew from other strata."""
        people = self.people.get(name)
        if people is None:
            return np.zeros(0, dtype=np.intp), np.zeros(0)
        fit = ~people.uncertain & np.isfinite(people.values)
        at = np.searchsorted(self.known.rows, people.places)
        at[at == len(self.known.rows)] = 0
        fit &= self.known.rows[at] == people.places
        sizes = np.bincount(self.strata)
        by_plan = people.strata[:, 0] > 0
        same = np.stack([self.strata[at] + 1, sizes[self.strata[at]]], axis=1) == people.strata
        whole = (people.strata == (1, len(self.strata))).all(axis=1)
        if (other := int((by_plan & ~same.all(axis=1) & ~whole & fit).sum())) > 0:
            raise UsageError(Reason("labels.plan_other", count=other))
        return at[fit], people.values[fit]

    def _values(self, draws: Mapping[str, Draw]) -> dict[tuple[str, str], float]:
        names = self._names
        said = {
            (names[self.known.rows[row]], name): value
            for name in self.known.control
            for row, value in zip(*map(np.ndarray.tolist, self._labelled(name)), strict=True)
        }
        return {key: value for key, value in said.items() if key[0] in draws}

    def _most_labels(self) -> int:
        return max((len(self._labelled(name)[0]) for name in self.known.control), default=0)

    def _all_labelled(self) -> set[int]:
        return {int(row) for name in self.known.control for row in self._labelled(name)[0]}

    def _criterion(self, name: str, sizes: Ints) -> tuple[CriterionPlan, StrataSpread] | None:
        """None where the labels are too few, or all the same, which foresees nothing."""
        at, said = self._labelled(name)
        if len(at) < FEWEST_LABELS or not (self.known.difference or np.ptp(said)):
            return None
        control = self.known.control[name][self.known.rows]
        values = self.known.target(name, self.known.rows[at], said)
        spread, _ = fitted(values, control[at], self.strata[at], sizes)
        codes, few = joined(self.strata[at], sizes.astype(np.float64))
        confidence, mean = self.options.confidence, float(control.mean())
        now = stratified_mean(values, control[at], codes, few, mean, confidence=confidence).stat
        width = self.options.width or self._deciding(now, len(at))
        rest = np.delete(control, at)
        random = labels_needed(values, control[at], rest, width, confidence=confidence)
        sd, t = float(values.std(ddof=1)), t_quantile(confidence, len(at) - 1)
        if self.known.difference:
            random = self._scattered(random, len(at))
        alone = max(0, int(np.ceil((2 * t * sd / width) ** 2)) - len(at))
        plan = further_labels([spread], [width], confidence)
        return CriterionPlan(name, len(at), now, width, plan, random, alone), spread

    def _deciding(self, now: Stat, labelled: int) -> float:
        """The width that shows the difference there seems to be, in 8 of 10 such studies."""
        t = t_quantile(self.options.confidence, max(1, labelled - 1))
        return max(2 * abs(now.value or 0.0) * t / (t + _POWER), 1e-6)

    def _scattered(self, needed: LabelsNeeded, labelled: int) -> LabelsNeeded:
        """Drawn from all items, many labels fall where both runs say the same."""
        if needed.further is None:
            return needed
        share = len(self.strata) / len(self.arrays.places)
        return LabelsNeeded(round((labelled + needed.further) / share) - labelled)

    def _ids(self, rows: Sequence[int]) -> list[str]:
        """In random order, by their ids and the seed alone."""
        ids = [self._names[self.known.rows[row]] for row in rows]
        return sorted(ids, key=lambda item: lot(self.options.seed, item))

    @property
    def _names(self) -> list[str]:
        return list(self.arrays.places)

    def _draw(self, counts: Ints, sizes: Ints) -> tuple[list[str], dict[str, Draw]]:
        """Of each stratum the labelled items, then so many others by lot; the order takes from all
        strata alike, so that who stops early has some of one."""
        labelled = self._all_labelled()
        draws: dict[str, Draw] = {}
        turns: list[tuple[float, str]] = []
        names = self._names
        for stratum, (count, size) in enumerate(zip(counts.tolist(), sizes.tolist(), strict=True)):
            rows = np.flatnonzero(self.strata == stratum).tolist()
            there = [row for row in rows if row in labelled]
            chosen = self._ids([row for row in rows if row not in labelled])
            chosen = chosen[: max(0, count - len(there))]
            draw = planned(stratum + 1, size)
            if not self.known.difference:  # else they go on to stand for all items
                draws |= {names[self.known.rows[row]]: draw for row in there}
            draws |= dict.fromkeys(chosen, draw)
            turns += [((place + 0.5) / len(chosen), item) for place, item in enumerate(chosen)]
        order = [item for _, item in sorted(turns)]
        return order, {item: draws[item] for item in dict.fromkeys([*order, *draws])}

    def _strata(
        self, counts: Ints, sizes: Ints, slices: tuple[Ints, tuple[str, ...]]
    ) -> tuple[PlannedStratum, ...]:
        codes, names = slices
        rows = self.known.rows
        labelled = self._all_labelled()
        apart = self.known.apart[rows]
        plans = []
        for stratum, (count, size) in enumerate(zip(counts.tolist(), sizes.tolist(), strict=True)):
            here = np.flatnonzero(self.strata == stratum)
            there = sum(int(row) in labelled for row in here)
            score = self.known.score[rows[here]]
            plans.append(
                PlannedStratum(
                    stratum + 1,
                    tuple(names[code] for code in np.unique(codes[rows[here]]) if names[code]),
                    float(score.min()),
                    float(score.max()),
                    float(apart[here].mean()) if apart.any() else None,
                    size,
                    there,
                    max(0, count - there),
                )
            )
        return tuple(plans)
