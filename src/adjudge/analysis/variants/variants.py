"""Every judge and model of a run beside the same labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.analysis.calibration.agreement import measure_of
from adjudge.analysis.calibration.calibrate import LabelSource
from adjudge.analysis.scores.grader import Grader
from adjudge.analysis.scores.reader import read_arrays
from adjudge.core.label import Label
from adjudge.core.reason import Reason, check_one_of
from adjudge.core.scale import Binary, Category, Scale, Value
from adjudge.errors import DataError, UsageError
from adjudge.stats.agreement import agreement
from adjudge.stats.arrays import Bools, Floats
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.correlation import kendall, pearson, spearman
from adjudge.stats.kappa import cohen_kappa, quadratic_kappa
from adjudge.stats.people import People, people_of
from adjudge.stats.selection import choose, jackknife
from adjudge.stats.stat import Stat
from adjudge.stores import RunRecord, Store

from .findings import CriterionVariants, Variant, Variants

MEASURES = ("exact", "spearman", "pearson", "kendall", "kappa")
_WORSE = 0.05  # adjusted p below which a variant is shown to be worse
_MOST_LOST = 0.2  # share of the labelled items that a variant may leave without a score


def measure_for(scale: Scale, wanted: str | None, usual: str) -> str:
    """What counts as agreement on a scale: `wanted`, else exact for names and for yes or no, else
    the `usual`. UsageError for a measure of order where there is none."""
    if wanted is None:
        return "exact" if isinstance(scale, Category | Binary) else usual
    if isinstance(scale, Category) and wanted not in {"exact", "kappa"}:
        raise UsageError(Reason("unordered").at_option("measure", wanted))
    return wanted


def all_alike(
    labels: Sequence[Label], scales: Mapping[str, Scale], wanted: str | None, usual: str
) -> dict[str, str]:
    """The criteria whose labels are all the same, so that nobody can agree with them better or
    worse; by criterion the measure that needs them to differ."""
    values: dict[str, set[Value]] = {}
    for label in labels:
        values.setdefault(label.criterion, set()).add(label.value)
    measures = {name: measure_for(scales[name], wanted, usual) for name in values}
    return {n: measures[n] for n, own in values.items() if len(own) < 2 and measures[n] != "exact"}


def statistic_of(measure: str, scale: Scale) -> Callable[[Floats, Floats], float | None]:
    """From judge and people to their agreement, None where it is undefined."""
    statistics: dict[str, Callable[[Floats, Floats], float | None]] = {
        "exact": lambda one, other: float(_same(one, other).mean()),
        "spearman": spearman,
        "pearson": pearson,
        "kendall": kendall,
        "kappa": cohen_kappa if isinstance(scale, Category) else quadratic_kappa,
    }
    return statistics[measure]


def effects_of(measure: str, scale: Scale, judge: Floats, human: Floats) -> Floats:
    """What each item adds to the agreement; NaN where that is undefined."""
    if measure == "exact":
        return np.asarray(_same(judge, human), dtype=np.float64)
    return jackknife(statistic_of(measure, scale), judge, human)


def _same(one: Floats, other: Floats) -> Bools:
    """Whether the nearest values are the same: means of several raters lie between levels."""
    return np.asarray(np.round(one) == np.round(other))


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantOptions(Resampling):
    """`measure` is one of MEASURES; None is `exact` for names and yes or no, else `spearman`."""

    measure: str | None = None
    criteria: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Resampling.__post_init__(self)
        check_one_of("measure", self.measure, MEASURES)


def variants_of(
    record: RunRecord, store: Store, labels: LabelSource, options: VariantOptions
) -> Variants:
    """Every criterion that two variants or more have on one scale, and that people labelled."""
    arrays = read_arrays(record, store)
    graders = [grader for grader in arrays.graders if grader.on_scale]
    by_name: dict[str, list[Grader]] = {}
    scales: dict[str, Scale] = {}  # of all, as one file has the labels of all
    for grader in graders:
        for name in grader.criteria:
            scales.setdefault(name, grader.criterion(name).scale)
            if not options.criteria or name in options.criteria:
                by_name.setdefault(name, []).append(grader)
    criteria: dict[str, CriterionVariants] = {}
    left_out: dict[str, Reason] = {}
    for name, having in by_name.items():
        scale = having[0].criterion(name).scale
        alike = [grader for grader in having if grader.criterion(name).scale == scale]
        people = _people(alike, labels, arrays.places, name, {**scales, name: scale})
        if people is not None and len(alike) > 1:
            finding = _Criterion(name, scale, alike, people, options).finding()
            if isinstance(finding, Reason):
                left_out[name] = finding
            else:
                criteria[name] = finding
    if not criteria:
        raise DataError(next(iter(left_out.values()), Reason("variants.none", run=record.id)))
    return Variants(record.id, options.confidence, criteria, left_out)


def _people(
    graders: Sequence[Grader],
    labels: LabelSource,
    items: Mapping[str, int],
    name: str,
    scales: Mapping[str, Scale],
) -> People | None:
    """What people say, for any of the judges: they were asked the same."""
    for grader in graders:
        own = [one for one in labels(grader.judge.name, scales) if one.criterion == name]
        if own:
            return people_of(own, items, scales).people[name]
    return None


@dataclass(frozen=True)
class _Criterion:
    name: str
    scale: Scale
    graders: Sequence[Grader]
    people: People
    options: VariantOptions

    def finding(self) -> CriterionVariants | Reason:
        """What the labels show, or why they show nothing of any variant."""
        decided = np.isfinite(self.people.values)
        places, human = self.people.places[decided], self.people.values[decided]
        scores = {one.name: one.scored(self.name).at(places) for one in self.graders}
        left_out = self._left_out(scores)
        kept = [one for one in self.graders if one.name not in left_out]
        if not kept:
            return next(iter(left_out.values()))
        table = np.column_stack([scores[one.name] for one in kept])
        both: Bools = np.asarray(np.isfinite(table).all(axis=1))
        values = [scores[one.name][both] for one in kept]
        measure, human = self._measure, human[both]
        effects = np.column_stack(
            [effects_of(measure, self.scale, value, human) for value in values]
        )
        undefined = np.asarray(~np.isfinite(effects).all(axis=0))
        for at in np.flatnonzero(undefined).tolist():
            left_out[kept[at].name] = Reason("judge_constant")
        at_hand = [at for at in range(len(kept)) if not undefined[at]]
        if not at_hand:
            return Reason("variants.undefined", measure=measure)
        figure = statistic_of(measure, self.scale)
        shown = np.array([figure(values[at], human) for at in at_hand], dtype=np.float64)
        chosen = choose(effects[:, at_hand], shown, self.options.confidence)
        variants = [
            self._variant(kept[at], values[at], human, scores[kept[at].name], float(p))
            for at, p in zip(at_hand, chosen.p, strict=True)
        ]
        order = sorted(range(len(variants)), key=lambda at: (at != chosen.best, -shown[at]))
        ranked = tuple(variants[at] for at in order)
        worse = tuple(one.name for one in ranked if one.p is not None and one.p < _WORSE)
        return CriterionVariants(
            name=self.name,
            scale=self.scale,
            measure=measure,
            items=int(both.sum()),
            split=self.people.split,
            variants=ranked,
            corrected=_on_its_scale(chosen.corrected, measure),
            decided=worse,
            cheapest=_cheapest([one for one in ranked if one.name not in worse]),
            left_out=left_out,
        )

    @property
    def _measure(self) -> str:
        return measure_for(self.scale, self.options.measure, "spearman")

    def _left_out(self, scores: Mapping[str, Floats]) -> dict[str, Reason]:
        """Variants that lack so many scores that the rest would have to be judged by few items."""
        lost = {name: int(np.isnan(values).sum()) for name, values in scores.items()}
        return {
            name: Reason("variants.unscored", count=count, items=len(scores[name]))
            for name, count in lost.items()
            if count > _MOST_LOST * len(scores[name])
        }

    def _variant(
        self, grader: Grader, judge: Floats, human: Floats, all_scores: Floats, p: float
    ) -> Variant:
        measure = measure_of(self.scale)
        figures = agreement(judge, human, None, measure, self.options)
        own: Stat = getattr(figures, self._measure)
        if self._measure == "exact":  # of means over raters the nearest value counts
            own = agreement(np.round(judge), np.round(human), None, measure, self.options).exact
        latency = grader.per_thousand("latency")
        return Variant(
            judge=grader.judge.name,
            model=grader.model,
            agreement=own,
            bias=figures.bias,
            unscored=int(np.isnan(all_scores).sum()),
            cost=grader.per_thousand("cost"),
            seconds=None if latency is None else latency / 1000,
            flips=self._flips(grader),
            p=None if np.isnan(p) else p,
        )

    def _flips(self, grader: Grader) -> float | None:
        """The share of pairs of samples of an item that differ; None without several samples."""
        if grader.repeats < 2:
            return None
        stack = grader.stacked("value", self.name)
        differ = pairs = 0
        for one in range(len(stack)):
            for other in stack[one + 1 :]:
                known = np.isfinite(stack[one]) & np.isfinite(other)
                pairs += int(known.sum())
                differ += int((stack[one][known] != other[known]).sum())
        return differ / pairs if pairs else None


def _cheapest(variants: Sequence[Variant]) -> str | None:
    """By cost; None where a price is not known."""
    costs = [(one.cost, at) for at, one in enumerate(variants)]
    if any(cost is None for cost, _ in costs):
        return None
    return variants[min((cost or 0.0, at) for cost, at in costs)[1]].name


def _on_its_scale(stat: Stat, measure: str) -> Stat:
    low = 0.0 if measure == "exact" else -1.0
    inside = stat.within(low, 1.0)
    if inside.value is None:
        return inside
    return replace(inside, value=min(max(inside.value, low), 1.0))
