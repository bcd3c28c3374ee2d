"""Conditions on the columns of the data, on scores, and on what people said beside the judge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args
from urllib.parse import quote, unquote

import numpy as np

from adjudge.analysis.scores.grader import Grader
from adjudge.analysis.scores.reader import cell_text
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.scale import Category
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats, Ints

How = Literal["=", "!=", "~", ">=", "<="]
HOWS: tuple[How, ...] = get_args(How)
SCORE = "score."  # before the name of a criterion
# What people said beside the judge: anything, nothing, the same, or the judge above or below.
LABELS = ("any", "none", "same", "above", "below")
_WRITTEN = re.compile(r"([^=!<>~]+)(!=|>=|<=|=|~)(.*)", re.DOTALL)
_NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class ItemCondition:
    """`name` is a column, or a criterion behind "score."; `~` holds where the value has the text in
    it, in whatever case. Written `topic=shop`, the name with its signs quoted as in addresses."""

    name: str
    how: How
    value: str

    @classmethod
    def of(cls, written: str) -> ItemCondition:
        """UsageError for what is no condition."""
        parts = _WRITTEN.fullmatch(written)
        if parts is None:
            raise UsageError(Reason("query.condition").at_parameter("where", written))
        return cls(unquote(parts[1]), cast(How, parts[2]), parts[3])

    def __str__(self) -> str:
        return f"{quote(self.name, safe=' ./()[]_-:')}{self.how}{self.value}"

    @property
    def criterion(self) -> str | None:
        return self.name.removeprefix(SCORE) if self.name.startswith(SCORE) else None

    @property
    def bound(self) -> float:
        try:
            return float(self.value.replace(",", "."))
        except ValueError:
            reason = Reason("form.number").at_parameter("where", str(self))
            raise UsageError(reason) from None

    def holds(self, values: Floats) -> Bools:
        """Of numbers; NaN is none."""
        known = np.isfinite(values)
        if self.how == ">=":
            return known & (values >= self.bound - _NEAR)
        if self.how == "<=":
            return known & (values <= self.bound + _NEAR)
        same = np.abs(values - self.bound) < _NEAR
        return known & (~same if self.how == "!=" else same)


class Column:
    """The values that the items have in one column: each once as a text, and a code per item, 0
    where it has none."""

    def __init__(self, values: Iterable[tuple[str, object]], places: Mapping[str, int]) -> None:
        codes: dict[str | None, int] = {None: 0}
        coded = [0] * len(places)
        for item, value in values:
            at = places.get(item)
            if at is not None and value is not None:
                coded[at] = codes.setdefault(cell_text(value), len(codes))
        self.codes: Ints = np.array(coded, dtype=np.intp)
        self.texts = [text for text in codes if text is not None]

    @property
    def empty(self) -> bool:
        return not self.texts

    def matching(self, condition: ItemCondition) -> Bools:
        """The items that it holds for; one without a value is none of them, but `!=` any."""
        if condition.how in (">=", "<="):
            held = condition.holds(np.array([_number(text) for text in self.texts]))
        elif condition.how == "~":
            words = condition.value.casefold()
            held = np.array([words in text.casefold() for text in self.texts], dtype=np.bool_)
        else:
            same = np.array([text == condition.value for text in self.texts], dtype=np.bool_)
            held = same if condition.how == "=" else ~same
        absent = condition.how == "!=" or (condition.how == "=" and not condition.value)
        return np.concatenate([[absent], held]).astype(np.bool_)[self.codes]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def scored(condition: ItemCondition, graders: Sequence[Grader], size: int) -> Bools:
    """The items that any of the graders gave such a score; UsageError for a criterion that none
    has."""
    holds = np.zeros(size, dtype=np.bool_)
    criterion = condition.criterion or ""
    asked = [grader for grader in graders if criterion in grader.criteria]
    if not asked:
        known = tuple(dict.fromkeys(name for grader in graders for name in grader.criteria))
        reason = Reason("query.no_field", field="criterion", known=known)
        raise UsageError(reason.at_parameter("where", str(condition)))
    for grader in asked:
        names = grader.options(criterion)
        if names is None:
            holds |= condition.holds(grader.values(criterion))
        else:
            holds |= _named(condition, names, grader.values(criterion))
    return holds


def _named(condition: ItemCondition, names: Sequence[str], values: Floats) -> Bools:
    if condition.how not in ("=", "!="):
        raise UsageError(Reason("query.names", criterion=condition.criterion or ""))
    wanted = names.index(condition.value) if condition.value in names else -1
    same: Bools = values == wanted
    known: Bools = np.isfinite(values)
    return known & (~same if condition.how == "!=" else same)


def labelled(
    asked: str,
    pairs: Iterable[tuple[Grader, str]],
    labels: Iterable[Label],
    places: Mapping[str, int],
) -> Bools:
    """The items whose labels stand so to any score: one of LABELS, or `=3` for what people said.
    People's means count; of names the first label."""
    people = _people(labels, places)
    holds, any_label = (np.zeros(len(places), dtype=np.bool_) for _ in range(2))
    for grader, criterion in pairs:
        scale = grader.criterion(criterion).scale
        names = scale.options if isinstance(scale, Category) else ()
        said = np.full(len(places), np.nan)
        for place, values in people.get(criterion, {}).items():
            said[place] = _mean(values, names)
        any_label |= np.isfinite(said)
        apart = grader.values(criterion) - said
        if asked.startswith("="):
            value = asked[1:]
            number = {"yes": 1.0, "no": 0.0}.get(value, _number(value))
            wanted = names.index(value) if value in names else number
            holds |= np.abs(said - wanted) < _NEAR
        elif asked == "same":
            holds |= np.abs(apart) < _NEAR
        elif asked in ("above", "below"):
            holds |= (apart > _NEAR) if asked == "above" else (apart < -_NEAR)
    return any_label if asked == "any" else ~any_label if asked == "none" else holds


def _people(
    labels: Iterable[Label], places: Mapping[str, int]
) -> dict[str, dict[int, list[float | str]]]:
    by_criterion: dict[str, dict[int, list[float | str]]] = {}
    for label in labels:
        place = places.get(label.item)
        if place is not None:
            of_items = by_criterion.setdefault(label.criterion, {})
            of_items.setdefault(place, []).append(label.value)
    return by_criterion


def _mean(values: Sequence[float | str], names: Sequence[str]) -> float:
    if names:
        return names.index(str(values[0])) if values[0] in names else np.nan
    return float(np.mean([float(value) for value in values]))
