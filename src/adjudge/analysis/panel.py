"""The verdicts of several models or judges on the same items made one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.label import Label
from adjudge.core.scale import Category, Number, Scale
from adjudge.errors import UsageError
from adjudge.stats.agreement import agreement
from adjudge.stats.alpha import alpha
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.combine import HOWS, How, combine
from adjudge.stats.mean import mean
from adjudge.stats.stat import Stat, undefined
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .calibrate import LabelSource, measure_of
from .corrected import UNORDERED
from .panel_weights import Weights, weigh
from .paneled import Member, Panel, PanelCriterion
from .people import People, people_of
from .run_scores import Grader, RunScores, read_scores
from .spans import span


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelOptions:
    """`how` None is the mean; for names it is the majority, unless weighted. `judges` and `models`
    pick the members, all where nothing is named. `seed` deals labels into folds."""

    how: How | None = None
    judges: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if self.how is not None and self.how not in HOWS:
            raise UsageError(f"--how {self.how}: write one of {', '.join(HOWS)}.")


def panel_of(record: RunRecord, store: Store, labels: LabelSource, options: PanelOptions) -> Panel:
    """Every criterion that two members or more have, made one value an item."""
    scores = read_scores(record, store)
    graders = _picked(scores, options)
    names = list(dict.fromkeys(name for grader in graders for name in grader.criteria))
    shared = [name for name in names if sum(name in each.criteria for each in graders) > 1]
    if not shared:
        had = ", ".join(each.name for each in graders) or "nobody"
        raise UsageError(
            f"A panel needs two members that judge the same criterion; here is {had}. Name several"
            " models in one run: adjudge run DATA -m MODEL -m MODEL."
        )
    said = _said(graders, labels)
    criteria = {}
    for name in shared:
        members = [each for each in graders if name in each.criteria]
        people = None
        if all(each.criteria[name].on_scale for each in members):
            given = [label for label in said if label.criterion == name]
            scales = {name: _common_scale(name, members)}
            people = people_of(given, scores.items, scales).people.get(name)
        criteria[name] = _criterion(name, members, len(scores.items), people, options)
    return Panel(record.id, tuple(scores.items), criteria)


def _said(graders: Sequence[Grader], labels: LabelSource) -> list[Label]:
    """What people say for any of the judges; a rater counts once an item and criterion."""
    found: dict[tuple[str, str, str], Label] = {}
    for judge in {each.judge.name: each.judge for each in graders}.values():
        scales = {name: each.scale for name, each in judge.rubric.criteria.items()}
        for label in labels(judge.name, scales):
            found.setdefault((label.item, label.rater, label.criterion), label)
    return list(found.values())


def _picked(scores: RunScores, options: PanelOptions) -> list[Grader]:
    for flag, wanted, known in (
        ("judge", options.judges, {each.judge.name for each in scores.graders}),
        ("model", options.models, {each.model for each in scores.graders}),
    ):
        for name in wanted:
            if name not in known:
                raise UsageError(f"--{flag} {name}: this run has {', '.join(sorted(known))}.")
    return [
        each
        for each in scores.graders
        if (not options.judges or each.judge.name in options.judges)
        and (not options.models or each.model in options.models)
    ]


def _criterion(
    name: str,
    graders: Sequence[Grader],
    items: int,
    people: People | None,
    options: PanelOptions,
) -> PanelCriterion:
    scale = _common_scale(name, graders)
    how = _how(name, scale, options.how)
    if how == "weighted" and not all(each.criteria[name].on_scale for each in graders):
        raise UsageError(
            "--how weighted: likelihoods lie on no scale on which they could agree with people;"
            " take mean, median or trimmed."
        )
    table = _table(name, graders, items)
    # Several samples may have been averaged to between two levels.
    votes = np.round(table) if how == "majority" else table
    weights = _weights(table, people, scale, options.seed) if how == "weighted" else None
    combined = combine(
        votes,
        how,
        names=isinstance(scale, Category),
        weights=None if weights is None else weights.by_item,
    )
    final = None if weights is None else weights.final
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
        mean=_mean(combined.values, scale),
        kappa=_kappa(combined.values, people, scale),
    )


def _common_scale(name: str, graders: Sequence[Grader]) -> Scale:
    scales = [each.criteria[name].scale for each in graders]
    other = next((n for n, scale in enumerate(scales) if scale != scales[0]), None)
    if other is not None:
        raise UsageError(
            f"{graders[0].judge.name} and {graders[other].judge.name} score {name} on different"
            " scales, which cannot be made one; pick one of them with --judge."
        )
    if all(each.criteria[name].on_scale for each in graders):
        return scales[0]
    return _scale_of_numbers(np.concatenate([each.criteria[name].values for each in graders]))


def _scale_of_numbers(values: Floats) -> Number:
    """Likelihoods lie on no scale of the judge: theirs goes from the lowest to the highest."""
    given = values[np.isfinite(values)]
    if not len(given) or given.min() == given.max():
        return Number(-1.0, 0.0)
    return Number(float(given.min()), float(given.max()))


def _how(name: str, scale: Scale, wished: How | None) -> How:
    """Names are voted on, whatever is done with numbers."""
    if isinstance(scale, Category):
        return "weighted" if wished == "weighted" else "majority"
    if wished == "majority" and isinstance(scale, Number):
        raise UsageError(f"--how majority: {name} is any number; take median, trimmed or mean.")
    return wished or "mean"


def _table(name: str, graders: Sequence[Grader], items: int) -> Floats:
    """Items by members, NaN where a member has no score."""
    table = np.full((items, len(graders)), np.nan)
    for at, grader in enumerate(graders):
        scored = grader.criteria[name]
        table[scored.places, at] = scored.values
    return table


def _weights(table: Floats, people: People | None, scale: Scale, seed: int) -> Weights:
    if people is None:
        raise UsageError(
            "--how weighted: weights come from agreement with people; give labels with --labels, or"
            " make some with adjudge label."
        )
    return weigh(table, people, measure_of(scale), seed)


def _kappa(column: Floats, people: People | None, scale: Scale) -> Stat | None:
    """The agreement with people, None where there are no labels."""
    if people is None:
        return None
    human, given = people.values, column[people.places]
    both = np.isfinite(human) & np.isfinite(given)
    measure = measure_of(scale)
    return agreement(
        given[both], human[both], level=measure.level, tolerance=measure.tolerance
    ).kappa


def _mean(values: Floats, scale: Scale) -> Stat:
    if isinstance(scale, Category):
        return undefined(UNORDERED)
    return mean(values[np.isfinite(values)])


def _disagreement(table: Floats, scale: Scale) -> Floats:
    """How far the members of each item lie apart, 0-1: of the scale from the lowest to the highest
    value; for names the share that is not the commonest. NaN below two values."""
    here = np.isfinite(table)
    counts: Ints = here.sum(axis=1)
    ends = span(scale)
    if ends is None:
        names = np.unique(table[here])
        most = np.max([np.sum(table == name, axis=1) for name in names] or [counts], axis=0)
        apart = 1 - most / np.maximum(counts, 1)
    else:
        lowest = np.where(here, table, np.inf).min(axis=1)
        highest = np.where(here, table, -np.inf).max(axis=1)
        width = np.where(counts > 0, highest - lowest, 0.0)
        apart = width / (ends[1] - ends[0])
    return np.where(counts >= 2, np.round(apart, 10), np.nan)
