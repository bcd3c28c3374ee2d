"""Which item a person is asked about next."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from adjudge.analysis.cascade.decisions import cascade_of, is_cascade
from adjudge.analysis.scores.grader import Bytes, Grader
from adjudge.analysis.scores.reader import read_arrays
from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Scale
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats, Ints
from adjudge.stores import RunRecord, Store

from .labels import scales_of

Pick = Literal["random", "uncertain", "abstained"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOptions:
    """Who labels what. `limit` is the number of items, None for all; no criteria means all."""

    rater: str
    pick: Pick = "random"
    criteria: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0


class Queue(tuple[str, ...]):
    """Items in the order in which they are asked; a page finds its place among 100,000 by it."""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """By item, from 0."""
        return {item: place for place, item in enumerate(self)}


def queue_of(record: RunRecord, store: Store, judge_name: str, chosen: LabelOptions) -> list[str]:
    """All items in the order in which they are asked; UsageError when there is none."""
    if chosen.pick == "abstained":
        return random_order(_left_to_people(record, store), chosen.seed)
    if chosen.pick == "random":
        queue = random_order(store.items.ids(record.id), chosen.seed)
    else:
        queue = _by_doubt(record, store, judge_name, chosen)
    if not queue:
        raise UsageError(Reason("run.no_item", run=record.id))
    return queue


def _by_doubt(record: RunRecord, store: Store, judge_name: str, chosen: LabelOptions) -> list[str]:
    arrays = read_arrays(record, store)
    graders = [grader for grader in arrays.graders if grader.judge.name == judge_name]
    if not graders:
        return []
    doubts = item_uncertainty(graders, scales_of(graders[0].judge, chosen.criteria))
    return uncertain_order(arrays.items, doubts, chosen.seed)


def picks_for(record: RunRecord) -> tuple[Pick, ...]:
    """The ways to pick items that the run offers."""
    return ("random", "uncertain", *(("abstained",) if is_cascade(record) else ()))


def _left_to_people(record: RunRecord, store: Store) -> list[str]:
    """What the cascade did not decide; those with a label that came later too, so that a session
    goes on with the same queue."""
    if not is_cascade(record):
        raise UsageError(Reason("labels.no_cascade", run=record.id).at_option("pick", "abstained"))
    cascaded = cascade_of(record, store)
    if not cascaded.left_to_people:
        reason = Reason("labels.all_decided", run=record.id)
        if left := len(cascaded.abstained):
            reason = Reason("labels.all_labelled", run=record.id, left=left)
        raise UsageError(reason.at_option("pick", "abstained"))
    return [decision.item for decision in cascaded.left_to_people]


def random_order(items: Iterable[str], seed: int) -> list[str]:
    """The items as a lottery would draw them: any beginning of the list is a random sample.

    An item's place depends on the seed and its id alone, so that the order is the same on every
    machine, and stays the same between the old items when a run gets new ones.
    """
    return sorted(items, key=lambda item: _lot(seed, item))


def uncertain_order(items: Sequence[str], doubts: Uncertain, seed: int) -> list[str]:
    """The items that the judge is least sure of first; equally unsure ones in random order.

    `doubts` has a place for each item; what the judge did not judge is left out.
    """
    there = np.flatnonzero(doubts.here)
    judged = [items[place] for place in there.tolist()]
    # Of a lot the first 8 of its 32 bytes: no two of a billion items share them.
    lots = np.frombuffer(b"".join(_lot(seed, item)[:8] for item in judged), ">u8")
    order = np.lexsort((lots, -doubts.mean[there], -doubts.largest[there]))
    return [judged[place] for place in order.tolist()]


def _lot(seed: int, item: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{item}".encode(errors="surrogatepass")).digest()


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
        _unsure(samples.confidence, scored),
    ]
    if isinstance(scale, Category):
        reasons.append(_dissent(samples.value, scored, len(scale.options)))
    else:
        units = np.where(scored & np.isfinite(samples.unit), samples.unit, np.nan)
        known = np.isfinite(units)
        mean = _mean(units, known)
        reasons.append(2 * np.sqrt(_mean((units - mean) ** 2, known)))
        middle = (1 - np.abs(2 * mean - 1)) * _HINT
        reasons.append(np.where(known.any(axis=0), middle, 0.0))
    return np.where(count > 0, np.max(reasons, axis=0), 1.0)


def _unsure(confidence: Floats, scored: Bools) -> Floats:
    known = scored & np.isfinite(confidence)
    return np.where(known.any(axis=0), 1 - _mean(confidence, known), 0.0)


def _dissent(names: Floats, scored: Bools, options: int) -> Floats:
    """The share that differs from the commonest name: 1 when all names are as common."""
    counts = [(scored & (names == option)).sum(axis=0) for option in range(options)]
    rest = 1 - _share(np.max(counts, axis=0), scored.sum(axis=0))
    return rest * options / (options - 1) if options > 1 else np.zeros(rest.shape)


def _mean(values: Floats, known: Bools) -> Floats:
    """Down the columns, over what is known; 0 where nothing is."""
    return _share(np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0))


def _share(part: Floats | Ints, whole: Ints) -> Floats:
    """0 of nothing."""
    return np.where(whole > 0, part / np.maximum(whole, 1), 0.0)
