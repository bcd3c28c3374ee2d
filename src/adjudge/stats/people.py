"""What people said of items, as arrays: items by raters, and what they say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.label import ADJUDICATED, Label
from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Scale
from adjudge.errors import DataError
from adjudge.stats.arrays import Bools, Floats, Ints, cell_means
from adjudge.stats.combine import mean_of_raters, vote

_MOST_CELLS = 50_000_000  # of the table items by raters


@dataclass(frozen=True, slots=True)
class People:
    """The labels of one criterion.

    `places` are the labelled items of the run, by place. `values` is what people say of each
    together: the mean over raters, or the name that most gave; NaN where two names lead. `table`
    has items by raters, NaN where a rater gave nothing; a rater who labelled an item twice counts
    with the mean, or the last name. `uncertain` marks items that were labelled only because they
    were picked as uncertain, or left by a cascade; `recorded` says that all others are recorded as
    drawn at random. `strata` has the stratum that a plan drew each from and the size of that, zeros
    where none did. What was adjudicated is the value of its item, and no rater's.
    """

    raters: tuple[str, ...]
    places: Ints
    table: Floats
    values: Floats
    uncertain: Bools
    recorded: bool
    strata: Ints

    @property
    def split(self) -> int:
        """Items without a value since their raters are divided."""
        return int(np.isnan(self.values).sum())


@dataclass(frozen=True, slots=True)
class LabelledItems:
    """The labels by criterion, and how many are about items that a run does not have."""

    people: Mapping[str, People]
    elsewhere: int


def people_of(
    labels: Sequence[Label], items: Mapping[str, int], scales: Mapping[str, Scale]
) -> LabelledItems:
    """The labels put beside the items; DataError when there are some and none fits."""
    by_criterion: dict[str, list[Label]] = {}
    elsewhere = 0
    for label in labels:
        if label.item in items:
            by_criterion.setdefault(label.criterion, []).append(label)
        else:
            elsewhere += 1
    if labels and not by_criterion:
        ids = {"theirs": labels[0].item, "ours": next(iter(items), "")}
        raise DataError(Reason("labels.not_of_run", count=len(labels), **ids))
    return LabelledItems(
        {
            name: _people(by_criterion[name], items, scale)
            for name, scale in scales.items()
            if name in by_criterion
        },
        elsewhere,
    )


def _people(labels: list[Label], items: Mapping[str, int], scale: Scale) -> People:
    raters = {name: at for at, name in enumerate(sorted({label.rater for label in labels}))}
    places, rows = np.unique(
        np.fromiter((items[label.item] for label in labels), np.intp, len(labels)),
        return_inverse=True,
    )
    if len(places) * len(raters) > _MOST_CELLS:
        raise DataError(Reason("labels.many_raters", raters=len(raters), items=len(places)))
    columns = np.fromiter((raters[label.rater] for label in labels), np.intp, len(labels))
    numbers, shape = _numbers(labels, scale), (len(places), len(raters))
    if isinstance(scale, Category):
        table = np.full(shape, np.nan)
        table[rows, columns] = numbers
    else:
        table = cell_means(rows * len(raters) + columns, numbers, shape)
    settled = np.full(len(places), np.nan)
    if ADJUDICATED in raters and len(raters) > 1:
        at = raters.pop(ADJUDICATED)
        settled, table = table[:, at], np.delete(table, at, axis=1)
    together = vote(table)[0] if isinstance(scale, Category) else mean_of_raters(table)
    values = np.where(np.isfinite(settled), settled, together)
    strata = np.zeros((len(places), 2), dtype=np.intp)
    for row, label in zip(rows.tolist(), labels, strict=True):
        if label.stratum:
            strata[row] = label.stratum
    random = np.bincount(rows, [not label.picked for label in labels]) > 0
    fit = random | (strata[:, 0] > 0)
    recorded = all(label.draw for label in labels)
    return People(tuple(raters), places, table, values, ~fit, recorded, strata)


def _numbers(labels: Iterable[Label], scale: Scale) -> Floats:
    if isinstance(scale, Category):
        codes = {option: float(n) for n, option in enumerate(scale.options)}
        # One that the scale has no longer says nothing.
        return np.array([codes.get(str(label.value), np.nan) for label in labels])
    return np.array([float(label.value) for label in labels])
