"""One side of a comparison: what one judge and one model made of every item of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Category
from adjudge.running.reread import judge_as_kept
from adjudge.stats.arrays import Floats
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .browsing.columns import Repeat, read_columns
from .divided import DIVIDED, settled
from .item_inputs import ItemInputs, read_inputs

# Numbers, NaN for none; or names, None for none.
Scores = npt.NDArray[Any]


class Source(NamedTuple):
    """A run and the store that it is in."""

    record: RunRecord
    store: Store


@dataclass(frozen=True, slots=True)
class Side:
    """`items` are those that were judged, in the order of the data, with their places in what
    `inputs` and `scores` have. A score is the mean over the scored repeats; of names, the one given
    most often, DIVIDED where two were."""

    source: Source
    judge: Judge
    fingerprint: str
    model: str
    items: Mapping[str, int]
    inputs: ItemInputs
    scores: Mapping[str, Scores]

    @property
    def criteria(self) -> Mapping[str, Criterion]:
        return self.judge.rubric.criteria

    @property
    def data_hash(self) -> str:
        return self.source.record.manifest.data_hash


def read_sides(source: Source, columns: Sequence[str]) -> tuple[list[Side], frozenset[str]]:
    """A side for each judge and model of the run; and the names of all columns that the items have,
    used by an input or not. The values of `columns` are kept.

    Only figures and texts are read: whole verdicts would take many times as long.
    """
    record, store = source
    judges = {name: judge_as_kept(record, name) for name in record.sources}
    figures = read_columns(store.facts(record.id), judges)
    places = {item: place for place, item in enumerate(figures.items)}
    inputs = read_inputs(store, record.id, places, columns)
    in_order = np.argsort(figures.position, kind="stable")
    sides = []
    for (name, model), repeats in sorted(figures.repeats.items()):
        samples = [repeats[number] for number in sorted(repeats)]
        here = np.any([each.here for each in samples], axis=0)
        items = {figures.items[place]: place for place in in_order[here[in_order]].tolist()}
        fingerprint = _fingerprint(source, name, model, next(iter(items)))
        scores = scores_of(judges[name], samples)
        sides.append(Side(source, judges[name], fingerprint, model, items, inputs, scores))
    return sides, inputs.seen


def _fingerprint(source: Source, judge: str, model: str, item: str) -> str:
    """That of the verdicts, which may have been read again since the run."""
    verdicts = (entry.verdict for entry in source.store.entries(source.record.id, item))
    return next(each.fingerprint for each in verdicts if (each.judge, each.model) == (judge, model))


def scores_of(judge: Judge, samples: Sequence[Repeat]) -> dict[str, Scores]:
    """By criterion, the score of each item over its samples."""
    found: dict[str, Scores] = {}
    for row, (name, criterion) in enumerate(judge.rubric.criteria.items()):
        given = np.stack([each.value[row] for each in samples])
        if isinstance(criterion.scale, Category) and judge.method != "likelihood":
            found[name] = _names(given, criterion.scale.options)
        else:
            found[name] = _means(given)
    return found


def _means(given: Floats) -> Floats:
    known = np.isfinite(given)
    count = known.sum(axis=0)
    total = np.where(known, given, 0.0).sum(axis=0)
    # Rounded, so that the same values in another order make the same mean.
    means: Floats = np.round(total / np.maximum(count, 1), 10)
    return np.where(count > 0, means, np.nan)


def _names(given: Floats, options: Sequence[str]) -> Scores:
    counts = np.stack([(given == place).sum(axis=0) for place in range(len(options))], axis=1)
    places, divided = settled(counts)
    found: list[str | None] = []
    for place, apart in zip(places.tolist(), divided.tolist(), strict=True):
        named = None if math.isnan(place) else options[int(place)]
        found.append(DIVIDED if apart else named)
    return np.array(found, dtype=object)
