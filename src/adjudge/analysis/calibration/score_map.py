"""The judge's scores as people's: a rising map with a range for each item, kept for later runs.

What is kept are the labelled pairs. A map holds for one judge, one model and one fingerprint; when
either changes, the judge may err in other ways, and the map is stale.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from adjudge.analysis.calibration.pairs import LabelledPairs
from adjudge.analysis.scores.grader import CriterionScores
from adjudge.analysis.scores.intervals import CONFIDENCE
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.scale import Scale, ValueRange, value_range
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.conformal import ScoreCalibration, calibrate_scores
from adjudge.stats.mean import mean
from adjudge.stats.ppi import too_few
from adjudge.stats.stat import Stat, undefined
from adjudge.stats.transport import Transport, weighted_mean
from adjudge.stores import KeptFinding, RunRecord, Store

from .transport import carried

RANGE = 0.9  # of the range around an item's score
_MOST = 20_000  # Pairs kept: more would not move the map.
_SHOWN = 11  # Scores shown of a scale that has more.


class Mapped(NamedTuple):
    """A score of the judge, what people give there on average, and where nine in ten lie.

    Where people give whole levels the average may lie outside: 4.8 where nine in ten give 5.
    """

    judge: float
    people: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ScoreMap:
    """The labelled pairs of one criterion, and the map that they teach.

    `ends` are those of the scale. `levels` are the values that people can give, None where those
    are means or any number. `places` are those of the items in the run that was labelled, None of a
    kept map.
    """

    judge: Floats
    human: Floats
    groups: Ints | None
    ends: ValueRange
    levels: tuple[float, ...] | None
    fitted: ScoreCalibration
    places: Ints | None = None

    def shown(self) -> tuple[Mapped, ...]:
        """The map at the scores that the judge gave, or at some of them."""
        scores = np.unique(self.judge)
        if len(scores) > _SHOWN:
            scores = np.unique(np.quantile(scores, np.linspace(0, 1, _SHOWN)).round(2))
        return self.ranges(scores)

    def ranges(self, scores: Floats) -> tuple[Mapped, ...]:
        """Each score with its range. Equal scores have equal ranges, at times a little too wide."""
        low, high = self.fitted.interval(scores, RANGE, self.levels, by_lot=False)
        people = self.fitted.score(scores)
        ranges = np.clip(low, *self.ends), np.clip(high, *self.ends)
        rows = zip(scores, people, *ranges, strict=True)
        return tuple(Mapped(*map(float, row)) for row in rows)

    def mean(self, scores: Floats, confidence: float, by: Transport | None = None) -> Stat:
        """What people would give on average to other items that this judge gave these scores.

        The mean of the mapped scores, moved by what the map misses on labels that it has not seen.
        The interval counts the spread of both. Where the items differ from the labelled ones, `by`
        weighs the labels; items unlike any labelled one may have any value of the scale. Beyond
        that, people are taken to mean the same by a score of the judge on both.
        """
        mapped = mean(self.fitted.score(scores), None, confidence)
        residuals = self.fitted.residuals
        if by is None:
            missed = mean(residuals, self.groups, confidence)
        else:
            missed = weighted_mean(residuals, by.weights, self.groups, confidence)
        if mapped.value is None or missed.value is None:
            return mapped
        low, high = self.ends
        value = min(max(mapped.value + missed.value, low), high)
        if mapped.high is None or missed.high is None:
            return Stat(value, why=mapped.why or missed.why)
        reach = math.hypot(mapped.high - mapped.value, missed.high - missed.value)
        unknown = 0.0 if by is None else by.uncovered
        return Stat(
            value,
            value - reach - unknown * (value - low),
            value + reach + unknown * (high - value),
        )

    def content(self) -> dict[str, Any]:
        """What the store keeps."""
        return {
            "judge": self.judge.tolist(),
            "human": self.human.tolist(),
            "groups": None if self.groups is None else self.groups.tolist(),
            "ends": self.ends,
            "levels": self.levels,
        }


def learn_map(pairs: LabelledPairs, scale: Scale, seed: int) -> ScoreMap | Reason:
    """The map that the labels teach, or why there is none."""
    ends = value_range(scale)
    if ends is None:
        return Reason("no_map")
    if why := too_few(pairs.independent):
        return why
    chosen = np.arange(len(pairs.judge))
    if len(chosen) > _MOST:
        chosen = np.random.default_rng(seed).permutation(len(chosen))[:_MOST]
    values = scale.values()
    levels = tuple(float(value) for value in values) if values else None
    if levels and not np.isin(pairs.human, levels).all():
        levels = None  # means of several people lie between them
    groups = None if pairs.groups is None else pairs.groups[chosen]
    learned = _map(pairs.judge[chosen], pairs.human[chosen], groups, ends, levels)
    return replace(learned, places=pairs.places[chosen])


def kept_mean(kept: KeptFinding, criterion: str, run_id: str, scored: int) -> Stat | None:
    """The corrected mean that calibrating this very run came to; None where it was another run, or
    has more scores by now."""
    content: Mapping[str, Any] = kept.content["criteria"].get(criterion, {})
    if kept.content["run"] != run_id or content.get("scored") != scored:
        return None
    return Stat.of(content["corrected"])


def corrected_mean(
    store: Store, grader: tuple[Judge, str, str], scored: CriterionScores, record: RunRecord
) -> Stat:
    """What people would give on average, by the latest kept calibration of the judge, model and
    fingerprint that `grader` names; or why that is not known. Where this very run was calibrated
    it is the mean that calibrating came to; where its items differ from the labelled ones, the
    interval is wider or the mean refused, and `why` says so."""
    judge, model, fingerprint = grader
    name = judge.name
    kept = latest_with_map(store.calibrations.of(name, model, fingerprint), scored.criterion)
    if kept is None:  # One of another fingerprint is of no use, but is named.
        kept = store.calibrations.latest(name, model)
    if kept is not None and kept.fingerprint == fingerprint:
        known = kept_mean(kept, scored.criterion, record.id, len(scored.known))
        if known is not None and known.value is not None:
            return known
    learned = kept_map(kept, scored.criterion, fingerprint)
    if isinstance(learned, Reason) or kept is None:
        return undefined(learned if isinstance(learned, Reason) else Reason("map.none"))
    labelled = (scored.criterion, learned.judge, learned.groups)
    by, why, refused = carried(kept, labelled, scored.known, (record, store, judge))
    if refused and why is not None:
        return undefined(why)
    stat = learned.mean(scored.known, CONFIDENCE, by).within(*learned.ends)
    return replace(stat, why=stat.why or why)


def latest_with_map(kept: Iterable[KeptFinding], criterion: str) -> KeptFinding | None:
    """The first that has a map of the criterion, else the first of all; None without any.

    `kept` has the latest first: one that was refused, or had no labels for the criterion, hides no
    earlier map.
    """
    latest = None
    for calibration in kept:
        if "judge" in calibration.content["criteria"].get(criterion, {}):
            return calibration
        latest = latest or calibration
    return latest


def kept_map(kept: KeptFinding | None, criterion: str, fingerprint: str) -> ScoreMap | Reason:
    """The kept map of a criterion, or why it cannot be used for this fingerprint."""
    if kept is None:
        return Reason("map.none")
    date = kept.created[:10]
    if kept.fingerprint != fingerprint:
        return Reason("map.stale", date=date, then=kept.fingerprint, now=fingerprint)
    content: Mapping[str, Any] | None = kept.content["criteria"].get(criterion)
    if content is None:
        return Reason("map.no_labels", date=date, criterion=criterion)
    if "why" in content:
        return Reason("map.refused", date=date, why=Reason.of(content["why"]))
    groups, levels = content["groups"], content["levels"]
    return _map(
        np.array(content["judge"], dtype=np.float64),
        np.array(content["human"], dtype=np.float64),
        None if groups is None else np.array(groups, dtype=np.intp),
        tuple(content["ends"]),
        None if levels is None else tuple(levels),
    )


def _map(
    judge: Floats,
    human: Floats,
    groups: Ints | None,
    ends: ValueRange,
    levels: tuple[float, ...] | None,
) -> ScoreMap:
    fitted = calibrate_scores(judge, human, groups)
    return ScoreMap(judge, human, groups, ends, levels, fitted)
