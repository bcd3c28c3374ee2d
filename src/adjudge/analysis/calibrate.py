"""Runs beside people: how far a judge agrees with them, and what follows for its means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.label import Label
from adjudge.core.scale import Binary, Category, Number, Scale
from adjudge.errors import DataError, UsageError
from adjudge.stats.agreement import Agreement, agreement, alpha_between
from adjudge.stats.arrays import Ints
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.by_group import ByGroup, agreement_by_group
from adjudge.stats.confusion import Confusion, confusion
from adjudge.stats.corrected import FEWEST_LABELS
from adjudge.stats.krippendorff import Level
from adjudge.stats.measure import Measure
from adjudge.stats.stat import Stat
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .calibration import Calibration, CriterionCalibration, GraderCalibration
from .calibration_figures import judge_calibration
from .corrected import means, no_means, raw_mean
from .gates import CALIBRATION_FIGURES, Gate, check_gates, check_scales
from .off_scale import order_alone
from .pairs import Pairs, pair, rated
from .people import People, people_of
from .raters import raters_of
from .run_scores import Grader, groups_of, picked, read_scores
from .score_map import learn
from .scored import Scored

_PERFECT = 1 - 1e-9
_MOST_VALUES = 12  # of a confusion matrix that can be read
# The labels for a judge of this name with these scales.
LabelSource = Callable[[str, Mapping[str, Scale]], Sequence[Label]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrateOptions:
    """What a user may say; the defaults are those of the command line.

    `group` is a column of the data whose equal values belong together. `judge` and `model` pick
    from a run that holds several. `width` is the width from end to end that the interval of the
    corrected mean should have, in units of the scale.
    """

    group: str | None = None
    judge: str | None = None
    model: str | None = None
    width: float | None = None
    confidence: float = 0.95
    rounds: int = 1000
    seed: int = 0
    gates: tuple[Gate, ...] = ()

    def __post_init__(self) -> None:
        if self.width is not None and not self.width > 0:
            raise UsageError(f"--width {self.width:g}: name a width above 0, e.g. 0.3.")
        _ = self.resampling  # refuses wrong figures

    @property
    def resampling(self) -> Resampling:
        return Resampling(self.confidence, self.rounds, self.seed)


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
    graders = picked(scores, options.judge, options.model)
    if not graders:
        raise DataError(f"Run {record.id} has no verdicts; run it again: adjudge run.")
    _check_gates(options.gates, graders)
    groups = None
    if options.group is not None:
        groups = groups_of(record, store, scores.items, options.group)
    found = []
    for grader in graders:
        part = _grader(grader, scores.items, groups, labels, options)
        if keep and part.not_kept is None:
            _keep(store, record.id, part)
        found.append(part)
    items = tuple(scores.items)
    result = Calibration(record.id, options.group, options.confidence, items, tuple(found))
    return replace(result, gates=judge_calibration(options.gates, result))


def _check_gates(gates: Sequence[Gate], graders: Sequence[Grader]) -> None:
    names = [name for grader in graders for name in grader.criteria]
    check_gates(gates, list(dict.fromkeys(names)), CALIBRATION_FIGURES)
    for grader in graders:
        scales = ((name, each.scale) for name, each in grader.criteria.items())
        check_scales(gates, scales, likelihoods=grader.judge.method == "likelihood")


def _grader(
    grader: Grader,
    items: Mapping[str, int],
    groups: Ints | None,
    labels: LabelSource,
    options: CalibrateOptions,
) -> GraderCalibration:
    scales = {name: criterion.scale for name, criterion in grader.judge.rubric.criteria.items()}
    found = people_of(labels(grader.judge.name, scales), items, scales)
    if not found.people:
        raise DataError(
            f"There are no labels for {grader.judge.name}: give a file with --labels, or make some"
            " with adjudge label."
        )
    criteria = {
        name: _criterion(grader.criteria[name], people, groups, options)
        for name, people in found.people.items()
    }
    unlabelled = tuple(name for name in scales if name not in found.people)
    return GraderCalibration(grader, criteria, unlabelled, found.elsewhere, grader.unsettled)


def _criterion(
    scored: Scored, people: People, groups: Ints | None, options: CalibrateOptions
) -> CriterionCalibration:
    pairs = pair(scored, people, groups)
    measure, resampling = measure_of(scored.scale), options.resampling
    overall = _agreement(pairs, measure, resampling)
    if not scored.on_scale:
        overall = order_alone(overall)
    chance = _chance(overall, measure)
    raw = raw_mean(scored, groups, resampling.confidence)
    return CriterionCalibration(
        name=scored.criterion,
        scale=scored.scale,
        n=len(pairs.judge),
        items=len(scored.places),
        unscored=scored.unscored_items,
        lost=pairs.lost,
        split=people.split,
        uncertain=pairs.uncertain,
        overall=overall,
        alphas=_alphas(pairs, measure, overall, resampling) if scored.on_scale else {},
        by_group=_by_group(pairs, measure, resampling),
        confusion=_confusion(pairs, scored.scale) if scored.on_scale else None,
        means=means(
            scored, pairs, chance, raw, confidence=resampling.confidence, width=options.width
        )
        if measure.ordered
        else no_means(),
        raters=raters_of(rated(scored, people, groups), people.raters, measure, resampling),
        score_map=chance or learn(pairs, scored.scale, options.seed),
        chance=chance,
        pairs=pairs,
    )


def measure_of(scale: Scale) -> Measure:
    """How agreement is measured on a scale.

    Adjacent is one level apart, on a scale of any numbers a tenth of it; yes and no have no
    neighbours.
    """
    if isinstance(scale, Category):
        return Measure("nominal", 0.0)
    if isinstance(scale, Number):
        return Measure("ordinal", (scale.max - scale.min) / 10)
    return Measure("ordinal", 0.0 if isinstance(scale, Binary) else 1.0)


def _agreement(pairs: Pairs, measure: Measure, resampling: Resampling) -> Agreement:
    return agreement(
        pairs.judge,
        pairs.human,
        pairs.groups,
        level=measure.level,
        tolerance=measure.tolerance,
        resampling=resampling,
    )


def _alphas(
    pairs: Pairs, measure: Measure, overall: Agreement, resampling: Resampling
) -> dict[str, Stat]:
    found = {measure.level: overall.alpha}
    levels: tuple[Level, ...] = ("nominal", "ordinal", "interval")
    for level in levels if measure.ordered else ():
        if level not in found:
            found[level] = alpha_between(
                pairs.judge, pairs.human, pairs.groups, level=level, resampling=resampling
            )
    return {level: found[level] for level in levels if level in found}


def _by_group(pairs: Pairs, measure: Measure, resampling: Resampling) -> ByGroup | None:
    if pairs.groups is None or not measure.ordered:
        return None
    return agreement_by_group(pairs.judge, pairs.human, pairs.groups.tolist(), resampling)


def _confusion(pairs: Pairs, scale: Scale) -> Confusion | None:
    """The table in the scale's own values; None where it would be too large to read."""
    if not len(pairs.judge) or len(np.unique([*pairs.judge, *pairs.human])) > _MOST_VALUES:
        return None
    table = confusion(pairs.judge, pairs.human)
    if isinstance(scale, Category):
        return Confusion(tuple(scale.options[int(code)] for code in table.labels), table.counts)
    return table


def _chance(overall: Agreement, measure: Measure) -> str | None:
    """Why the judge is not shown to be better than chance; None where it is."""
    stat, name = (overall.pearson, "Pearson's r") if measure.ordered else (overall.kappa, "kappa")
    if stat.value is None:
        return f"agreement with people cannot be measured: {stat.why}"
    if stat.value > _PERFECT and overall.n >= FEWEST_LABELS:
        return None  # the same in every resampled set, hence without an interval
    if stat.low is None:
        return f"too little is known of the agreement with people: {stat.why}"
    if stat.low > 0:
        return None
    return (
        f"the judge is not shown to be better than chance: {name} {stat.value:.2f}"
        f" ({stat.low:.2f} to {stat.high:.2f})"
    )


def _keep(store: Store, run_id: str, part: GraderCalibration) -> None:
    criteria = {}
    for name, each in part.criteria.items():
        learned = each.score_map
        content = {"why": learned} if isinstance(learned, str) else learned.content()
        # What this very run's mean came to, and over how many items.
        corrected = each.means.corrected.stat.as_dict()
        criteria[name] = content | {"corrected": corrected, "scored": each.items - each.unscored}
    grader = part.grader
    store.calibrations.keep(
        grader.judge.name,
        grader.model,
        grader.fingerprints[0],
        {"run": run_id, "criteria": criteria},
    )
