"""Conditions on the columns of the data, on scores, and on what people said beside the judge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args
from urllib.parse import quote, unquote

import numpy as np

from adjudge.analysis.scores.grader import Grader
from adjudge.analysis.scores.reader import Column
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.scale import Category
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats
from adjudge.stats.people import people_of

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


def matching(column: Column, condition: ItemCondition) -> Bools:
    """The items that it holds for; one without a value is none of them, but `!=` any."""
    if condition.how in (">=", "<="):
        held = condition.holds(np.array([_number(text) for text in column.texts]))
    elif condition.how == "~":
        words = condition.value.casefold()
        held = np.array([words in text.casefold() for text in column.texts], dtype=np.bool_)
    else:
        same = np.array([text == condition.value for text in column.texts], dtype=np.bool_)
        held = same if condition.how == "=" else ~same
    absent = condition.how == "!=" or (condition.how == "=" and not condition.value)
    return np.concatenate([[absent], held]).astype(np.bool_)[column.codes]


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
    """The items whose labels stand so to any score: one of LABELS, or `=3` for what people said
    together."""
    own = [label for label in labels if label.item in places]
    holds, any_label = (np.zeros(len(places), dtype=np.bool_) for _ in range(2))
    for grader, criterion in pairs:
        scale = grader.criterion(criterion).scale
        people = people_of(own, places, {criterion: scale}).people.get(criterion)
        if people is None:
            continue
        names = scale.options if isinstance(scale, Category) else ()
        said = np.full(len(places), np.nan)
        said[people.places] = people.values
        any_label[people.places] = True
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
