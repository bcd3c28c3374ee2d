"""The verdicts of several models or judges on the same items made one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.calibration.agreement import measure_of
from adjudge.analysis.calibration.calibrate import LabelSource
from adjudge.analysis.scores.grader import GraderScores
from adjudge.analysis.scores.intervals import NO_MEAN
from adjudge.analysis.scores.reader import picked, read_scores
from adjudge.core.label import Label
from adjudge.core.reason import Reason, check_one_of
from adjudge.core.scale import Category, Number, Scale, value_range
from adjudge.errors import DataError, UsageError
from adjudge.stats.agreement import agreement
from adjudge.stats.alpha import alpha
from adjudge.stats.arrays import Floats, Ints, spread_of
from adjudge.stats.combine import HOWS, How, combine
from adjudge.stats.conformal import folds_of
from adjudge.stats.kappa import cohen_kappa, quadratic_kappa
from adjudge.stats.mean import mean
from adjudge.stats.measure import Measure
from adjudge.stats.people import People, people_of
from adjudge.stats.ppi import FEWEST_LABELS
from adjudge.stats.stat import Stat, undefined
from adjudge.stores import RunRecord, Store

from .findings import Member, Panel, PanelCriterion
from .worth import votes_by_agreement, worth_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelOptions:
    """`how` None is the mean; for names it is the majority, unless weighted. `judges` and `models`
    pick the members, all where nothing is named. `seed` deals labels into folds."""

    how: How | None = None
    judges: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        check_one_of("how", self.how, HOWS)


def panel_of(record: RunRecord, store: Store, labels: LabelSource, options: PanelOptions) -> Panel:
    """Every criterion that two members or more have, made one value per item."""
    scores = read_scores(record, store)
    graders = picked(scores.graders, record, options.judges, options.models)
    names = list(dict.fromkeys(name for grader in graders for name in grader.criteria))
    shared = [name for name in names if sum(name in grader.criteria for grader in graders) > 1]
    if not shared:
        had = ", ".join(grader.name for grader in graders) or "nobody"
        raise UsageError(Reason("panel.members", had=had))
    said = _said(graders, labels)
    criteria = {}
    for name in shared:
        members = [grader for grader in graders if name in grader.criteria]
        people = None
        if all(member.criteria[name].on_scale for member in members):
            own_labels = [label for label in said if label.criterion == name]
            scales = {name: _common_scale(name, members)}
            people = people_of(own_labels, scores.items, scales).people.get(name)
        criteria[name] = _criterion(name, members, len(scores.items), people, options)
    return Panel(record.id, tuple(scores.items), criteria)


def _said(graders: Sequence[GraderScores], labels: LabelSource) -> list[Label]:
    """What people say for any of the judges; a rater counts once per item and criterion."""
    first: dict[tuple[str, str, str], Label] = {}
    for judge in {grader.judge.name: grader.judge for grader in graders}.values():
        scales = {name: criterion.scale for name, criterion in judge.rubric.measures.items()}
        for label in labels(judge.name, scales):
            first.setdefault((label.item, label.rater, label.criterion), label)
    return list(first.values())


def _criterion(
    name: str,
    graders: Sequence[GraderScores],
    items: int,
    people: People | None,
    options: PanelOptions,
) -> PanelCriterion:
    scale = _common_scale(name, graders)
    how = _how(name, scale, options.how)
    if how == "weighted" and not all(grader.criteria[name].on_scale for grader in graders):
        raise UsageError(Reason("panel.off_scale").at_option("how", "weighted"))
    table = _table(name, graders, items)
    # Several samples may have been averaged to between two levels.
    votes = np.round(table) if how == "majority" else table
    final, by_item = (
        _weights(table, people, scale, options.seed) if how == "weighted" else (None, None)
    )
    combined = combine(votes, how, names=isinstance(scale, Category), weights=by_item)
    return PanelCriterion(
        name=name,
        scale=scale,
        how=how,
        members=tuple(
            Member(
                grader.judge.name,
                grader.model,
                scored=int(np.isfinite(column).sum()),
                mean=_mean(column, scale),
                weight=None if final is None else float(final[at]),
                kappa=_kappa(column, people, scale),
            )
            for at, (grader, column) in enumerate(zip(graders, table.T, strict=True))
        ),
        table=table,
        values=combined.values,
        tied=combined.tied,
        few=combined.few,
        disagreement=_disagreement(table, scale),
        alpha=alpha(table, measure_of(scale).level),
        votes=votes_by_agreement(table, scale),
        mean=_mean(combined.values, scale),
        kappa=_kappa(combined.values, people, scale),
        worth=None
        if people is None
        else worth_of(table, people, scale, how, [grader.cost for grader in graders]),
    )


def _common_scale(name: str, graders: Sequence[GraderScores]) -> Scale:
    scales = [grader.criteria[name].scale for grader in graders]
    other = next((n for n, scale in enumerate(scales) if scale != scales[0]), None)
    if other is not None:
        judges = {"a": graders[0].judge.name, "b": graders[other].judge.name}
        raise UsageError(Reason("panel.scales", criterion=name, **judges))
    if all(grader.criteria[name].on_scale for grader in graders):
        return scales[0]
    return _scale_of_numbers(np.concatenate([grader.criteria[name].values for grader in graders]))


def _scale_of_numbers(values: Floats) -> Number:
    """Likelihoods lie on no scale of the judge: theirs goes from the lowest to the highest."""
    known = values[np.isfinite(values)]
    if not len(known) or known.min() == known.max():
        return Number(-1.0, 0.0)
    return Number(float(known.min()), float(known.max()))


def _how(name: str, scale: Scale, wished: How | None) -> How:
    """Names are voted on, whatever is done with numbers."""
    if isinstance(scale, Category):
        return "weighted" if wished == "weighted" else "majority"
    if wished == "majority" and isinstance(scale, Number):
        raise UsageError(Reason("panel.no_majority", criterion=name).at_option("how", "majority"))
    return wished or "mean"


def _table(name: str, graders: Sequence[GraderScores], items: int) -> Floats:
    """Items by members, NaN where a member has no score."""
    places = np.arange(items)
    return np.column_stack([grader.criteria[name].at(places) for grader in graders])


def _kappa(column: Floats, people: People | None, scale: Scale) -> Stat | None:
    """The agreement with people, None where there are no labels."""
    if people is None:
        return None
    human, scores = people.values, column[people.places]
    both = np.isfinite(human) & np.isfinite(scores)
    return agreement(scores[both], human[both], measure=measure_of(scale)).kappa


def _mean(values: Floats, scale: Scale) -> Stat:
    if isinstance(scale, Category):
        return undefined(NO_MEAN)
    return mean(values[np.isfinite(values)])


def _disagreement(table: Floats, scale: Scale) -> Floats:
    """How far the members of each item lie apart, 0-1: of the scale from the lowest to the highest
    value; for names the share that is not the commonest. NaN below two values."""
    ends = value_range(scale)
    if ends is not None:
        return np.round(spread_of(table.T) / (ends[1] - ends[0]), 10)
    here = np.isfinite(table)
    counts: Ints = here.sum(axis=1)
    names = np.unique(table[here])
    most = np.max([np.sum(table == name, axis=1) for name in names] or [counts], axis=0)
    return np.where(counts >= 2, np.round(1 - most / np.maximum(counts, 1), 10), np.nan)


_FOLDS = 10


def _weights(
    table: Floats, people: People | None, scale: Scale, seed: int
) -> tuple[Floats, Floats]:
    """Kappa with people, 0 where that is below 0 or undefined; `table` has items by members.

    First those that rest on all labels, one per member, which sum to 1; then a row per item: a
    labelled item is weighed by the other labels only, so that it is fair to hold the panel's value
    against its label. DataError where labels are too few, or no member agrees with people better
    than by chance.
    """
    if people is None:
        raise UsageError(Reason("panel.no_labels").at_option("how", "weighted"))
    measure, known = measure_of(scale), np.isfinite(people.values)
    places, human = people.places[known], people.values[known]
    if len(places) < FEWEST_LABELS:
        reason = Reason("panel.few_labels", count=len(places), least=FEWEST_LABELS)
        raise DataError(reason.at_option("how", "weighted"))
    final = _kappa_weights(table[places], human, measure)
    by_item = np.tile(final, (len(table), 1))
    fold = folds_of(None, len(places), _FOLDS, seed)
    for out in range(_FOLDS):
        here = fold == out
        by_item[places[here]] = _kappa_weights(table[places[~here]], human[~here], measure)
    return final, by_item


def _kappa_weights(table: Floats, human: Floats, measure: Measure) -> Floats:
    kappa = quadratic_kappa if measure.ordered else cohen_kappa
    kappas = []
    for column in table.T:
        here = np.isfinite(column)
        kappas.append(max(0.0, kappa(column[here], human[here]) or 0.0))
    total = sum(kappas)
    if not total:
        raise DataError(Reason("panel.chance").at_option("how", "weighted"))
    return np.array(kappas) / total
