"""The verdicts of a probe's runs, found by who said what about which text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.core.scale import Category, Number, Scale, Value
from adjudge.core.score import Score
from adjudge.core.verdict import Verdict

from .subject import Subject

# On a scale of numbers, where hardly two verdicts are the same to the last digit, a value counts as
# another one when it moved by this share of the scale.
MOVED = 0.1
_ROUNDING = 1e-9


@dataclass(slots=True)
class Verdicts:
    """Of one run. `models` are in the order in which they were asked."""

    models: tuple[str, ...]
    _scores: dict[tuple[str, str, int], Mapping[str, Score]] = field(default_factory=dict)

    @classmethod
    def of(cls, models: tuple[str, ...], verdicts: Iterable[Verdict]) -> Verdicts:
        found = cls(models)
        for each in verdicts:
            found._scores[each.model, each.item, each.repeat] = each.scores
        return found

    def score(self, model: str, item: str, criterion: str, repeat: int = 0) -> Score | None:
        """None where it was not asked for, as when the budget ran out."""
        return self._scores.get((model, item, repeat), {}).get(criterion)


class Place(NamedTuple):
    """A value, and where it lies on 0-1; `unit` is None where values have no order.

    In a pair it is how well the altered side does: 1 it wins, 0.5 a tie, 0 it loses.
    """

    value: Value
    unit: float | None


def place(subject: Subject, item: str, score: Score | None) -> Place | None:
    """None without a value."""
    if score is None or score.value is None:
        return None
    pair = subject.judge.pair
    if pair and score.value in (*pair.values, pair.tie):
        side = pair.values[pair.inputs.index(subject.targets[item])]
        won = 0.5 if score.value == pair.tie else float(score.value == side)
        return Place(score.value, won)
    return Place(score.value, score.unit)


def another(scale: Scale, one: Place, other: Place) -> bool:
    """Whether two values count as different."""
    if isinstance(scale, Number) and one.unit is not None and other.unit is not None:
        return abs(one.unit - other.unit) >= MOVED - _ROUNDING
    return one.value != other.value


def has_order(subject: Subject, criterion: str) -> bool:
    """Whether scores can rise and fall; of a pair the altered side can do better or worse."""
    scale = subject.judge.rubric.criteria[criterion].scale
    return subject.judge.pair is not None or not isinstance(scale, Category)
