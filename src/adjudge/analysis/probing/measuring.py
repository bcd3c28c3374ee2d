"""Texts and twins → findings, criterion by criterion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Number, Scale, Value
from adjudge.core.score import Score
from adjudge.core.verdict import Verdict
from adjudge.stats.mean import share
from adjudge.stats.paired import mean_shift
from adjudge.stats.stat import Stat, undefined

from .findings import Measure, ProbeFinding, ProbeLimits
from .probes import Probe
from .sessions import Twin
from .subject import Subject

_HALF = 0.5


class ProbeQuestion(NamedTuple):
    """What a finding is about."""

    probe: str
    measure: Measure
    model: str
    criterion: str


@dataclass(slots=True)
class BeforeAfter:
    """Both sides of every pair that was scored, and the item of each; `unscored` counts others."""

    scale: Scale
    before: list[ScaleValue] = field(default_factory=list)
    after: list[ScaleValue] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    unscored: int = 0

    def add(self, before: ScaleValue | None, after: ScaleValue | None, item: str) -> None:
        if before is None or after is None:
            self.unscored += 1
            return
        self.before.append(before)
        self.after.append(after)
        self.items.append(item)

    def units(self) -> tuple[list[float], list[float]]:
        return (
            [value.unit for value in self.before if value.unit is not None],
            [value.unit for value in self.after if value.unit is not None],
        )

    def only(self, keep: Callable[[ScaleValue], bool]) -> BeforeAfter:
        """The pairs whose text was placed like that before it was altered."""
        kept = BeforeAfter(self.scale, unscored=self.unscored)
        for before, after, item in zip(self.before, self.after, self.items, strict=True):
            if keep(before):
                kept.add(before, after, item)
        return kept


@dataclass(frozen=True, slots=True)
class Ruler:
    """How findings are made of rows."""

    subject: Subject
    limits: ProbeLimits
    confidence: float

    def finding(self, asked: ProbeQuestion, rows: BeforeAfter) -> ProbeFinding:
        """The measure over the rows; names without an order can only flip."""
        measure = asked.measure if has_order(self.subject, asked.criterion) else "flip"
        if measure == "unnoticed":  # what is at the bottom already cannot fall
            rows = rows.only(lambda place: (place.unit or 0.0) >= _HALF)
        before, after = rows.units()
        none = undefined(Reason("no_probe_pairs"))
        effect = _MEASURES[measure](rows, self.confidence) if rows.before else none
        return ProbeFinding(
            probe=asked.probe,
            model=asked.model,
            criterion=asked.criterion,
            measure=measure,
            n=len(rows.before),
            unscored=rows.unscored,
            effect=effect,
            limit=getattr(self.limits, measure),
            rating=self.limits.rate(measure, effect, len(set(rows.items))),
            before=fmean(before) if before else None,
            after=fmean(after) if after else None,
            note=_note(measure, before),
        )


def of_twins(
    ruler: Ruler, probe: Probe, twins: Iterable[Twin], verdicts: ProbeVerdicts
) -> Iterator[ProbeFinding]:
    """Each twin against its text, by model and criterion."""
    own = [twin for twin in twins if twin.probe == probe.name]
    subject = ruler.subject
    for model in verdicts.models:
        for name, criterion in subject.judge.rubric.criteria.items():
            rows = BeforeAfter(criterion.scale)
            for twin in own:
                rows.add(
                    place(subject, twin.of, verdicts.score(model, twin.of, name)),
                    place(subject, twin.of, verdicts.score(model, twin.id, name)),
                    twin.of,
                )
            yield ruler.finding(ProbeQuestion(probe.name, probe.measure, model, name), rows)


def _flips(rows: BeforeAfter, confidence: float) -> Stat:
    pairs = zip(rows.before, rows.after, strict=True)
    return share([another(rows.scale, *pair) for pair in pairs], rows.items, confidence)


def _moves(rows: BeforeAfter, confidence: float) -> Stat:
    return mean_shift(*rows.units(), rows.items, confidence)


def _accepted(rows: BeforeAfter, confidence: float) -> Stat:
    return share([unit >= _HALF for unit in rows.units()[1]], rows.items, confidence)


def _unnoticed(rows: BeforeAfter, confidence: float) -> Stat:
    before, after = rows.units()
    return share([b >= a for a, b in zip(before, after, strict=True)], rows.items, confidence)


_MEASURES: Mapping[Measure, Callable[[BeforeAfter, float], Stat]] = {
    "flip": _flips,
    "gain": _moves,
    "shift": _moves,
    "accepted": _accepted,
    "unnoticed": _unnoticed,
}


def _note(measure: Measure, before: Sequence[float]) -> Reason | None:
    at_top = sum(unit == 1 for unit in before)
    if measure == "gain" and 2 * at_top >= len(before) > 0:
        return Reason("at_top", count=at_top, total=len(before))
    return None


# On a scale of numbers, where hardly two verdicts are the same to the last digit, a value counts as
# another one when it moved by this share of the scale.
MOVED = 0.1
_ROUNDING = 1e-9


@dataclass(slots=True)
class ProbeVerdicts:
    """Of one run. `models` are in the order in which they were asked."""

    models: tuple[str, ...]
    _scores: dict[tuple[str, str, int], Mapping[str, Score]] = field(default_factory=dict)

    @classmethod
    def of(cls, models: tuple[str, ...], verdicts: Iterable[Verdict]) -> ProbeVerdicts:
        collected = cls(models)
        for verdict in verdicts:
            collected._scores[verdict.model, verdict.item, verdict.repeat] = verdict.scores
        return collected

    def score(self, model: str, item: str, criterion: str, repeat: int = 0) -> Score | None:
        """None where it was not asked for, as when the budget ran out."""
        return self._scores.get((model, item, repeat), {}).get(criterion)


class ScaleValue(NamedTuple):
    """A value, and where it lies on 0-1; `unit` is None where values have no order.

    In a pair it is how well the altered side does: 1 it wins, 0.5 a tie, 0 it loses.
    """

    value: Value
    unit: float | None


def place(subject: Subject, item: str, score: Score | None) -> ScaleValue | None:
    """None without a value."""
    if score is None or score.value is None:
        return None
    pair = subject.judge.pair
    if pair and score.value in (*pair.values, pair.tie):
        side = pair.values[pair.inputs.index(subject.targets[item])]
        won = 0.5 if score.value == pair.tie else float(score.value == side)
        return ScaleValue(score.value, won)
    return ScaleValue(score.value, score.unit)


def another(scale: Scale, one: ScaleValue, other: ScaleValue) -> bool:
    """Whether two values count as different."""
    if isinstance(scale, Number) and one.unit is not None and other.unit is not None:
        return abs(one.unit - other.unit) >= MOVED - _ROUNDING
    return one.value != other.value


def has_order(subject: Subject, criterion: str) -> bool:
    """Whether scores can rise and fall; of a pair the altered side can do better or worse."""
    scale = subject.judge.rubric.criteria[criterion].scale
    return subject.judge.pair is not None or not isinstance(scale, Category)
