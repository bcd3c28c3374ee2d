"""Runs beside people: how far a judge agrees with them, and what follows for its means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from adjudge.analysis.gates.conditions import (
    CALIBRATION_FIGURES,
    Gate,
    GateResult,
    check_gates,
    check_scales,
    gate_results,
)
from adjudge.analysis.gates.figures import lookup_in, share_of
from adjudge.analysis.scores.grader import CriterionScores, GraderScores
from adjudge.analysis.scores.intervals import CONFIDENCE, mean_of
from adjudge.analysis.scores.reader import Column, groups_of, picked, read_column, read_scores
from adjudge.core.label import Label
from adjudge.core.reason import Reason, check_above_0
from adjudge.core.scale import Scale
from adjudge.errors import DataError, UsageError
from adjudge.stats.agreement import agreement
from adjudge.stats.arrays import Ints
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.measure import NAMES
from adjudge.stats.people import People, people_of
from adjudge.stats.stat import Stat, undefined
from adjudge.stores import RunRecord, Store

from .agreement import (
    EPSILON,
    alphas_of,
    by_group_of,
    confusion_of,
    measure_of,
    no_better_than_chance,
    order_alone,
    raters_of,
    system_agreement,
    with_each_rater,
)
from .findings import Calibration, CriterionCalibration, GraderCalibration, why_no_groups
from .means import means, no_means
from .pairs import pair, rated
from .score_map import learn_map
from .slices import by_slice
from .transport import traits_of

# The labels for a judge of this name with these scales.
LabelSource = Callable[[str, Mapping[str, Scale]], Sequence[Label]]


class Beside(NamedTuple):
    """What else is known of the items: the group of each, the system that wrote it, and what it has
    in the columns that slices are made of."""

    groups: Ints | None
    systems: Column | None
    columns: Mapping[str, Column]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrateOptions(Resampling):
    """What a user may say about it: the keywords of `adjudge.calibrate`, which explains them."""

    group: str | None = None
    system: str | None = None
    slices: tuple[str, ...] = ()
    judge: str | None = None
    model: str | None = None
    width: float | None = None
    epsilon: float = EPSILON
    gates: tuple[Gate, ...] = ()

    def __post_init__(self) -> None:
        Resampling.__post_init__(self)
        check_above_0("width", self.width)
        if not 0 <= self.epsilon < 1:
            reason = Reason("options.share", example=EPSILON)
            raise UsageError(reason.at_option("epsilon", f"{self.epsilon:g}"))


def calibrate_run(
    record: RunRecord,
    store: Store,
    labels: LabelSource,
    options: CalibrateOptions,
    *,
    keep: bool = True,
) -> Calibration:
    """Every judge and model of the run that was asked for, beside the labels.

    What is learned is kept in the store, for gates on later runs of the same judge and model; not
    so without `keep`, for those who only look.
    """
    scores = read_scores(record, store)
    graders = picked(scores.graders, record, [options.judge], [options.model])
    if not graders:
        raise DataError(Reason("run.no_verdicts", run=record.id))
    _check_gates(options.gates, graders)
    of = (record, store, scores.items)
    beside = Beside(
        None if options.group is None else groups_of(*of, options.group),
        None if options.system is None else read_column(*of, ("system", options.system)),
        {column: read_column(*of, ("slice", column)) for column in options.slices},
    )
    parts = []
    for grader in graders:
        part = _grader(grader, scores.items, beside, labels, options)
        if keep and part.not_kept is None:
            _keep(store, record, part, tuple(scores.items), options.slices)
        parts.append(part)
    items = tuple(scores.items)
    result = Calibration(record.id, options.group, options.confidence, items, tuple(parts))
    judged = judge_calibration(options.gates, result)
    return replace(result, gates=judged, title=record.title)


def _check_gates(gates: Sequence[Gate], graders: Sequence[GraderScores]) -> None:
    names = [name for grader in graders for name in grader.criteria]
    check_gates(gates, list(dict.fromkeys(names)), CALIBRATION_FIGURES)
    for grader in graders:
        scales = ((name, criterion.scale) for name, criterion in grader.criteria.items())
        check_scales(gates, scales, likelihoods=grader.judge.method == "likelihood")


def _grader(
    grader: GraderScores,
    items: Mapping[str, int],
    beside: Beside,
    labels: LabelSource,
    options: CalibrateOptions,
) -> GraderCalibration:
    scales = {name: criterion.scale for name, criterion in grader.judge.rubric.measures.items()}
    labelled = people_of(labels(grader.judge.name, scales), items, scales)
    if not labelled.people:
        raise DataError(Reason("calibration.no_labels", judge=grader.judge.name))
    criteria = {
        name: _criterion(grader.criteria[name], people, beside, options)
        for name, people in labelled.people.items()
    }
    unlabelled = tuple(name for name in scales if name not in labelled.people)
    return GraderCalibration(grader, criteria, unlabelled, labelled.elsewhere, grader.unsettled)


def _criterion(
    scored: CriterionScores, people: People, beside: Beside, options: CalibrateOptions
) -> CriterionCalibration:
    groups, systems, columns = beside
    pairs = pair(scored, people, groups)
    measure = measure_of(scored.scale)
    overall = agreement(pairs.judge, pairs.human, pairs.groups, measure, options)
    labelled = rated(scored, people, groups)
    overall = (
        with_each_rater(overall, labelled, measure, options)
        if scored.on_scale
        else order_alone(overall)
    )
    chance = no_better_than_chance(overall, measure)
    raw = mean_of(scored, groups, options.confidence)
    return CriterionCalibration(
        name=scored.criterion,
        scale=scored.scale,
        items=len(scored.places),
        unscored=scored.unscored_items,
        lost=pairs.lost,
        split=people.split,
        uncertain=pairs.uncertain,
        **{name: getattr(overall, name) for name in ("n", *NAMES)},
        alphas=alphas_of(pairs, measure, overall, options) if scored.on_scale else {},
        by_group=by_group_of(pairs, measure, options),
        by_system=system_agreement(pairs, systems, options)
        if systems is not None and measure.ordered
        else None,
        by_slice=by_slice(scored, people, groups, columns, options) if columns else None,
        confusion=confusion_of(pairs, labelled, scored.scale) if scored.on_scale else None,
        means=means(scored, pairs, chance, raw, confidence=options.confidence, width=options.width)
        if measure.ordered
        else no_means(),
        raters=raters_of(labelled, people.raters, measure, options, options.epsilon),
        score_map=chance or learn_map(pairs, scored.scale, options.seed),
        chance=chance,
        pairs=pairs,
    )


def _keep(
    store: Store,
    record: RunRecord,
    part: GraderCalibration,
    items: Sequence[str],
    columns: Sequence[str],
) -> None:
    """The labelled pairs with the traits of their items, so that a run of other data can be
    compared with them."""
    grader = part.grader
    criteria = {}
    for name, criterion in part.criteria.items():
        learned = criterion.score_map
        if isinstance(learned, Reason):
            content: dict[str, Any] = {"why": learned}
        else:
            places = [] if learned.places is None else learned.places.tolist()
            known = store.items.get(record.id, [items[place] for place in places])
            labelled = [known[items[place]] for place in places]
            content = {**learned.content(), "traits": traits_of(labelled, grader.judge, columns)}
        # What this very run's mean came to, and over how many items.
        corrected = criterion.means.corrected.stat.as_dict()
        criteria[name] = content | {
            "corrected": corrected,
            "scored": criterion.items - criterion.unscored,
        }
    store.calibrations.keep(
        grader.judge.name,
        grader.model,
        grader.fingerprints[0],
        {"run": record.id, "data": record.manifest.data_hash, "criteria": criteria},
    )


def judge_calibration(gates: Sequence[Gate], calibration: Calibration) -> tuple[GateResult, ...]:
    """Every gate against every judge and model that was calibrated and has its criterion."""
    parts = {part.grader.name: part.criteria for part in calibration.graders}

    def figure(grader: GraderScores, gate: Gate) -> Stat:
        scored = grader.criteria[gate.criterion]
        if gate.condition is not None:
            return share_of(scored, gate.condition, CONFIDENCE)
        criterion = parts[grader.name].get(gate.criterion)
        if criterion is not None:
            return _calibration_figure(criterion, gate.what)
        if gate.what == "mean":
            return mean_of(scored, None, calibration.confidence)[0]
        return undefined(Reason("gate.no_labels"))

    return gate_results(gates, lookup_in([part.grader for part in calibration.graders], figure))


def _calibration_figure(criterion: CriterionCalibration, what: str) -> Stat:
    if what == "mean":
        return criterion.means.raw
    if what == "corrected":
        return criterion.means.corrected.stat
    if what == "n":
        return Stat(float(criterion.n), why=Reason("gate.count"))
    if not what.startswith("group_"):
        return cast(Stat, getattr(criterion, what))
    if criterion.by_group is None:
        return undefined(why_no_groups(criterion))
    return cast(Stat, getattr(criterion.by_group, what.removeprefix("group_")))
