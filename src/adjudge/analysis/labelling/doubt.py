"""How unsure a judge is of each item, for asking people about the least sure first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.scores.grader import Bytes, Grader
from adjudge.analysis.scores.reader import read_arrays
from adjudge.core.scale import Category, Scale
from adjudge.stats.arrays import Bools, Floats, Ints, mean_of_known
from adjudge.stores import RunRecord, Store

from .labels import scales_of
from .queue import LabelOptions, lot

# A score in the middle, or one that a single yes or no has moved, only hints at doubt; one that is
# missing, or that another model contradicts, is doubt.
_HINT = 0.5
_DIGITS = 9  # sums in another order are equal


@dataclass(frozen=True, slots=True)
class SampleArrays:
    """One criterion: a row per model and repeat, an entry per item. `here` is
    false where there is no verdict; `value`, `unit` and `confidence` are NaN where unknown, names
    are places among the options, `rule` is 0 where none moved the score."""

    here: Bools
    value: Floats
    unit: Floats
    confidence: Floats
    rule: Bytes


@dataclass(frozen=True, slots=True)
class Uncertain:
    """By item: whether the judge judged it; the largest of the criteria's uncertainties, and their
    mean, each on 0-1."""

    here: Bools
    largest: Floats
    mean: Floats


def by_doubt(record: RunRecord, store: Store, judge_name: str, chosen: LabelOptions) -> list[str]:
    """The items that the judge judged, those that it is least sure of first."""
    arrays = read_arrays(record, store)
    graders = [grader for grader in arrays.graders if grader.judge.name == judge_name]
    if not graders:
        return []
    doubts = item_uncertainty(graders, scales_of(graders[0].judge, chosen.criteria))
    return uncertain_order(arrays.items, doubts, chosen.seed)


def uncertain_order(items: Sequence[str], doubts: Uncertain, seed: int) -> list[str]:
    """The items that the judge is least sure of first; equally unsure ones in random order.

    `doubts` has a place for each item; what the judge did not judge is left out.
    """
    there = np.flatnonzero(doubts.here)
    judged = [items[place] for place in there.tolist()]
    # Of a lot the first 8 of its 32 bytes: no two of a billion items share them.
    lots = np.frombuffer(b"".join(lot(seed, item)[:8] for item in judged), ">u8")
    order = np.lexsort((lots, -doubts.mean[there], -doubts.largest[there]))
    return [judged[place] for place in order.tolist()]


def item_uncertainty(graders: Sequence[Grader], criteria: Collection[str]) -> Uncertain:
    """Of all that one judge gave the items, by whatever models and in whatever repeats."""
    samples = {name: _samples(graders, name) for name in criteria}
    doubts = np.stack(
        [
            criterion_uncertainty(sample, graders[0].criterion(name).scale)
            for name, sample in samples.items()
        ]
    )
    here = np.any([grader.here for grader in graders], axis=0)
    return Uncertain(here, doubts.max(axis=0).round(_DIGITS), doubts.mean(axis=0).round(_DIGITS))


def _samples(graders: Sequence[Grader], name: str) -> SampleArrays:
    def stacked(what: str) -> Floats:
        return np.concatenate([grader.stacked(what, name) for grader in graders])

    return SampleArrays(
        here=np.stack([some.here for grader in graders for some in grader.samples.values()]),
        value=stacked("value"),
        unit=stacked("unit"),
        confidence=stacked("confidence"),
        rule=stacked("rule").astype(np.uint8),
    )


def criterion_uncertainty(samples: SampleArrays, scale: Scale) -> Floats:
    """The strongest of the reasons for doubt, by item, on 0-1.

    They are: the share of scores that are missing; how far repeats and models are apart; how unsure
    the model was, where it said so; and, counted half, a rule that moved the score and a mean in
    the middle of the scale.
    """
    scored = samples.here & np.isfinite(samples.value)
    count = scored.sum(axis=0)
    reasons = [
        1 - _share(count, samples.here.sum(axis=0)),
        _share((scored & (samples.rule > 0)).sum(axis=0), count) * _HINT,
        np.nan_to_num(1 - mean_of_known(np.where(scored, samples.confidence, np.nan))),
    ]
    if isinstance(scale, Category):
        reasons.append(_dissent(samples.value, scored, len(scale.options)))
    else:
        units = np.where(scored, samples.unit, np.nan)
        mean = mean_of_known(units)
        reasons.append(np.nan_to_num(2 * np.sqrt(mean_of_known((units - mean) ** 2))))
        reasons.append(np.nan_to_num((1 - np.abs(2 * mean - 1)) * _HINT))
    return np.where(count > 0, np.max(reasons, axis=0), 1.0)


def _dissent(names: Floats, scored: Bools, options: int) -> Floats:
    """The share that differs from the commonest name: 1 when all names are as common."""
    counts = [(scored & (names == option)).sum(axis=0) for option in range(options)]
    rest = 1 - _share(np.max(counts, axis=0), scored.sum(axis=0))
    return rest * options / (options - 1) if options > 1 else np.zeros(rest.shape)


def _share(part: Floats | Ints, whole: Ints) -> Floats:
    """0 of nothing."""
    return np.where(whole > 0, part / np.maximum(whole, 1), 0.0)
