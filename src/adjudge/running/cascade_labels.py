"""The labels that a cascade is tested on: what people say of the items drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.label import Label
from adjudge.core.scale import Category, Scale
from adjudge.stats.people import People, people_of

ItemLabels = Mapping[str, float | str]


@dataclass(frozen=True, slots=True)
class CascadeLabels:
    """`by_item` has the items that every labelled criterion has a value for: the mean over raters,
    or the name that most gave. `left_out` counts the other labelled items: a criterion is missing,
    two names lead, or they were picked for being hard and so are no random draw."""

    criteria: tuple[str, ...]
    by_item: Mapping[str, ItemLabels]
    left_out: int


def cascade_labels(labels: Sequence[Label], scales: Mapping[str, Scale]) -> CascadeLabels:
    items = {
        item: place for place, item in enumerate(dict.fromkeys(label.item for label in labels))
    }
    people = people_of([label for label in labels if not label.picked], items, scales)
    by_criterion = {name: _by_place(of, scales[name]) for name, of in people.people.items()}
    by_item = {
        item: {name: values[place] for name, values in by_criterion.items()}
        for item, place in items.items()
        if by_criterion and all(place in values for values in by_criterion.values())
    }
    return CascadeLabels(tuple(by_criterion), by_item, len(items) - len(by_item))


def _by_place(people: People, scale: Scale) -> dict[int, float | str]:
    known = np.isfinite(people.values)
    values: list[float | str] = people.values[known].tolist()
    if isinstance(scale, Category):
        values = [scale.options[int(value)] for value in values]
    return dict(zip(people.places[known].tolist(), values, strict=True))
