"""What people say of the items that they labelled, made one value a criterion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from adjudge.core.label import Label
from adjudge.core.scale import Category, Scale

Said = Mapping[str, float | str]


@dataclass(frozen=True, slots=True)
class People:
    """`said` has the items that every labelled criterion has a value for: the mean over raters, or
    the name that most gave. `left_out` counts the other labelled items: a criterion is missing,
    two names lead, or they were picked for being hard and so are no random draw."""

    criteria: tuple[str, ...]
    said: Mapping[str, Said]
    left_out: int


def people_of(labels: Sequence[Label], scales: Mapping[str, Scale]) -> People:
    given: dict[str, dict[str, list[float | str]]] = {}
    for label in labels:
        of_item = given.setdefault(label.item, {})
        if not label.picked:
            of_item.setdefault(label.criterion, []).append(label.value)
    named = {name for of_item in given.values() for name in of_item}
    criteria = tuple(name for name in scales if name in named)
    said = {}
    for item, of_item in given.items():
        values = {name: _one(of_item.get(name, ()), scales[name]) for name in criteria}
        whole = {name: value for name, value in values.items() if value is not None}
        if criteria and len(whole) == len(criteria):
            said[item] = whole
    return People(criteria, said, len(given) - len(said))


def _one(values: Sequence[float | str], scale: Scale) -> float | str | None:
    if not values:
        return None
    if not isinstance(scale, Category):
        return fmean(float(value) for value in values)
    (first, most), *others = Counter(values).most_common(2)
    return None if others and others[0][1] == most else first
