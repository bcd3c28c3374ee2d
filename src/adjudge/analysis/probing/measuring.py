"""Texts and twins → findings, criterion by criterion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Number, Scale, Value
from adjudge.core.score import Score
from adjudge.core.verdict import Verdict
from adjudge.stats.mean import mean, share
from adjudge.stats.stat import Stat, undefined

from .findings import Measure, ProbeFinding, ProbeLimits
from .probes import Probe
from .sessions import Twin
from .subject import Subject

NO_PAIRS = Reason("no_probe_pairs")
_HALF = 0.5
# On a scale of numbers, where hardly two verdicts are the same to the last digit, a value counts as
# another one when it moved by this share of the scale.
MOVED = 0.1
_ROUNDING = 1e-9


class ProbeQuestion(NamedTuple):
    """What a finding is about."""

    probe: str
    measure: Measure
    model: str
    criterion: str


class ProbeVerdicts:
    """Of one run. `models` are in the order in which they were asked."""

    def __init__(self, models: tuple[str, ...], verdicts: Iterable[Verdict]) -> None:
        self.models = models
        self._scores = {(one.model, one.item, one.repeat): one.scores for one in verdicts}

    def score(self, model: str, item: str, criterion: str, repeat: int = 0) -> Score | None:
        """None where it was not asked for, as when the budget ran out."""
        return self._scores.get((model, item, repeat), {}).get(criterion)


class ScaleValue(NamedTuple):
    """A value, and where it lies on 0-1; `unit` is None where values have no order.

    In a pair it is how well the altered side does: 1 it wins, 0.5 a tie, 0 it loses.
    """

    value: Value
    unit: float | None


class ScoredPair(NamedTuple):
    """What an item has before and after it was altered."""

    before: ScaleValue
    after: ScaleValue
    item: str


@dataclass(frozen=True, slots=True)
class ProbeMeasurer:
    """How findings are made of verdicts."""

    subject: Subject
    limits: ProbeLimits
    confidence: float

    def questions(
        self, probe: str, measure: Measure, verdicts: ProbeVerdicts
    ) -> Iterator[ProbeQuestion]:
        """One for each model and criterion."""
        for model in verdicts.models:
            for name in self.subject.judge.rubric.criteria:
                yield ProbeQuestion(probe, measure, model, name)

    def value(
        self,
        verdicts: ProbeVerdicts,
        asked: ProbeQuestion,
        text: str,
        repeat: int = 0,
        of: str | None = None,
    ) -> ScaleValue | None:
        """What a text was given, by its id; `of` is the item where it is a twin. None: no value."""
        score = verdicts.score(asked.model, text, asked.criterion, repeat)
        if score is None or score.value is None:
            return None
        pair = self.subject.judge.pair
        if pair and score.value in (*pair.values, pair.tie):
            side = pair.values[pair.inputs.index(self.subject.targets[of or text])]
            won = 0.5 if score.value == pair.tie else float(score.value == side)
            return ScaleValue(score.value, won)
        return ScaleValue(score.value, score.unit)

    def compared(
        self,
        asked: ProbeQuestion,
        pairs: Iterable[tuple[ScaleValue | None, ScaleValue | None, str]],
    ) -> ProbeFinding:
        """The measure over texts before and after; names without an order can only flip."""
        listed = list(pairs)
        rows = [ScoredPair(a, b, item) for a, b, item in listed if a is not None and b is not None]
        unscored = len(listed) - len(rows)
        scale = self.subject.judge.rubric.criteria[asked.criterion].scale
        # Of a pair the altered side can do better or worse.
        if isinstance(scale, Category) and self.subject.judge.pair is None:
            asked = asked._replace(measure="flip")
        if asked.measure == "unnoticed":  # what is at the bottom already cannot fall
            rows = [row for row in rows if (row.before.unit or 0.0) >= _HALF]
        before, after = _units(rows)
        return self.rated(
            asked,
            self._effect(asked.measure, scale, rows) if rows else undefined(NO_PAIRS),
            len(rows),
            unscored,
            items=len({row.item for row in rows}),
            before=fmean(before) if before else None,
            after=fmean(after) if after else None,
            note=_note(asked.measure, before),
        )

    def rated(
        self,
        asked: ProbeQuestion,
        effect: Stat,
        n: int,
        unscored: int,
        *,
        items: int | None = None,
        **more: Any,
    ) -> ProbeFinding:
        """The finding from `n` pairs, rated by the limit; of fewer `items` where these repeat."""
        rating = self.limits.rate(asked.measure, effect, n if items is None else items)
        limit = getattr(self.limits, asked.measure)
        figures = {"n": n, "unscored": unscored, "effect": effect, "limit": limit, "rating": rating}
        return ProbeFinding(**asked._asdict(), **figures, **more)

    def _effect(self, measure: Measure, scale: Scale, rows: Sequence[ScoredPair]) -> Stat:
        items = [row.item for row in rows]
        if measure == "flip":
            changed = [counts_as_changed(scale, *row[:2]) for row in rows]
            return share(changed, items, self.confidence)
        before, after = _units(rows)
        if measure == "accepted":
            return share([unit >= _HALF for unit in after], items, self.confidence)
        shifts = [b - a for a, b in zip(before, after, strict=True)]
        if measure == "unnoticed":
            return share([shift >= 0 for shift in shifts], items, self.confidence)
        return mean(shifts, items, self.confidence)


def of_twins(
    ruler: ProbeMeasurer, probe: Probe, twins: Iterable[Twin], verdicts: ProbeVerdicts
) -> Iterator[ProbeFinding]:
    """Each twin against its text, by model and criterion."""
    own = [twin for twin in twins if twin.probe == probe.name]
    for asked in ruler.questions(probe.name, probe.measure, verdicts):
        value = partial(ruler.value, verdicts, asked)
        pairs = ((value(twin.of), value(twin.id, of=twin.of), twin.of) for twin in own)
        yield ruler.compared(asked, pairs)


def _units(rows: Sequence[ScoredPair]) -> list[list[float]]:
    """Before and after, where values have an order."""
    sides = zip(*(row[:2] for row in rows), strict=True) if rows else ((), ())
    return [[value.unit for value in side if value.unit is not None] for side in sides]


def _note(measure: Measure, before: Sequence[float]) -> Reason | None:
    at_top = sum(unit == 1 for unit in before)
    if measure == "gain" and 2 * at_top >= len(before) > 0:
        return Reason("at_top", count=at_top, total=len(before))
    return None


def counts_as_changed(scale: Scale, one: ScaleValue, other: ScaleValue) -> bool:
    """Whether two values count as different."""
    if isinstance(scale, Number) and one.unit is not None and other.unit is not None:
        return abs(one.unit - other.unit) >= MOVED - _ROUNDING
    return one.value != other.value
