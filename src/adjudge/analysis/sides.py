"""One side of a comparison: what one judge and one model made of every item of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Category
from adjudge.running.reread import judge_as_kept
from adjudge.stats.arrays import Floats
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .browsing.columns import Repeat, read_columns
from .divided import DIVIDED, settled

_PORTION = 1000  # items that are held with their texts at once


class Source(NamedTuple):
    """A run and the store that it is in."""

    record: RunRecord
    store: Store


class Row(NamedTuple):
    """What a comparison wants to know of an item besides its scores.

    `asked` and `judged` stand for the texts of the inputs that are not judged and that are; equal
    texts have equal ones. `columns` are the values of the columns asked for, None where one is
    absent.
    """

    asked: Mapping[str, int]
    judged: int
    columns: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """`scores` has, by criterion and item, the mean over the scored repeats, None without any; of
    names, the one given most often, DIVIDED where two were."""

    source: Source
    judge: Judge
    fingerprint: str
    model: str
    rows: Mapping[str, Row]
    scores: Mapping[str, Mapping[str, float | str | None]]

    @property
    def criteria(self) -> Mapping[str, Criterion]:
        return self.judge.rubric.criteria

    @property
    def data_hash(self) -> str:
        return self.source.record.manifest.data_hash


def read_sides(source: Source, columns: Sequence[str]) -> tuple[list[Side], set[str]]:
    """A side for each judge and model of the run; and the names of all columns that the items have,
    used by an input or not. Rows keep the values of `columns`, and are in the order of the data.

    Only figures and texts are read: whole verdicts would take many times as long.
    """
    judges = {name: judge_as_kept(source.record, name) for name in source.record.sources}
    figures = read_columns(source.store.facts(source.record.id), judges)
    rows: dict[str, dict[str, Row]] = {name: {} for name in judges}
    seen: set[str] = set()
    for item in _items(source):
        seen.update(item.fields, item.extra)
        for name, judge in judges.items():
            rows[name][item.id] = _row(judge, item, columns)
    sides = []
    for (name, model), repeats in sorted(figures.repeats.items()):
        samples = [repeats[number] for number in sorted(repeats)]
        here = np.any([each.here for each in samples], axis=0).tolist()
        judged = {item for item, there in zip(figures.items, here, strict=True) if there}
        sides.append(
            Side(
                source,
                judges[name],
                _fingerprint(source, name, model, next(iter(judged))),
                model,
                {item: row for item, row in rows[name].items() if item in judged},
                {
                    criterion: dict(zip(figures.items, given, strict=True))
                    for criterion, given in scores_of(judges[name], samples).items()
                },
            )
        )
    return sides, seen


def _fingerprint(source: Source, judge: str, model: str, item: str) -> str:
    """That of the verdicts, which may have been read again since the run."""
    verdicts = (entry.verdict for entry in source.store.entries(source.record.id, item))
    return next(each.fingerprint for each in verdicts if (each.judge, each.model) == (judge, model))


def _items(source: Source) -> Iterator[Item]:
    ids = iter(source.store.item_ids(source.record.id))
    while some := list(islice(ids, _PORTION)):
        found = source.store.contents(source.record.id, some)
        yield from (found[item] for item in some)


def _row(judge: Judge, item: Item, columns: Sequence[str]) -> Row:
    judged = judge.judged
    asked = {name: hash(text) for name, text in item.fields.items() if name not in judged}
    told = hash(tuple(item.fields.get(name) for name in judged))
    return Row(asked, told, tuple(_cell(item, column) for column in columns))


def _cell(item: Item, column: str) -> str | None:
    value = item.extra.get(column, item.fields.get(column))
    if value is None or isinstance(value, str):
        return value
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def scores_of(
    judge: Judge, samples: Sequence[Repeat]
) -> dict[str, list[float | None] | list[str | None]]:
    """By criterion, the score of each item over its samples, None without any."""
    found: dict[str, list[float | None] | list[str | None]] = {}
    for row, (name, criterion) in enumerate(judge.rubric.criteria.items()):
        given = np.stack([each.value[row] for each in samples])
        if isinstance(criterion.scale, Category) and judge.method != "likelihood":
            found[name] = _names(given, criterion.scale.options)
        else:
            found[name] = _means(given)
    return found


def _means(given: Floats) -> list[float | None]:
    known = np.isfinite(given)
    count = known.sum(axis=0)
    total = np.where(known, given, 0.0).sum(axis=0)
    # Rounded, so that the same values in another order make the same mean.
    means = np.round(total / np.maximum(count, 1), 10).tolist()
    return [mean if n else None for mean, n in zip(means, count.tolist(), strict=True)]


def _names(given: Floats, options: Sequence[str]) -> list[str | None]:
    counts = np.stack([(given == place).sum(axis=0) for place in range(len(options))], axis=1)
    places, divided = settled(counts)
    found: list[str | None] = []
    for place, apart in zip(places.tolist(), divided.tolist(), strict=True):
        named = None if math.isnan(place) else options[int(place)]
        found.append(DIVIDED if apart else named)
    return found
