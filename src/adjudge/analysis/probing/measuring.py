"""Texts and twins → findings, criterion by criterion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from adjudge.core.scale import Scale
from adjudge.stats.proportion import share
from adjudge.stats.shift import mean_shift
from adjudge.stats.stat import Stat, undefined

from .findings import Finding, Limits, Measure
from .probes import Probe
from .subject import Subject
from .twins import Twin
from .verdicts import Place, Verdicts, another, has_order, place

_HALF = 0.5


class Asked(NamedTuple):
    """What a finding is about."""

    probe: str
    measure: Measure
    model: str
    criterion: str


@dataclass(slots=True)
class Rows:
    """Both sides of every pair that was scored, and the item of each; `unscored` counts others."""

    scale: Scale
    before: list[Place] = field(default_factory=list)
    after: list[Place] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    unscored: int = 0

    def add(self, before: Place | None, after: Place | None, item: str) -> None:
        if before is None or after is None:
            self.unscored += 1
            return
        self.before.append(before)
        self.after.append(after)
        self.items.append(item)

    def units(self) -> tuple[list[float], list[float]]:
        return (
            [each.unit for each in self.before if each.unit is not None],
            [each.unit for each in self.after if each.unit is not None],
        )

    def only(self, keep: Callable[[Place], bool]) -> Rows:
        """The pairs whose text was placed like that before it was altered."""
        kept = Rows(self.scale, unscored=self.unscored)
        for before, after, item in zip(self.before, self.after, self.items, strict=True):
            if keep(before):
                kept.add(before, after, item)
        return kept


@dataclass(frozen=True, slots=True)
class Ruler:
    """How findings are made of rows."""

    subject: Subject
    limits: Limits
    confidence: float

    def finding(self, asked: Asked, rows: Rows) -> Finding:
        """The measure over the rows; names without an order can only flip."""
        measure = asked.measure if has_order(self.subject, asked.criterion) else "flip"
        if measure == "unnoticed":  # what is at the bottom already cannot fall
            rows = rows.only(lambda place: (place.unit or 0.0) >= _HALF)
        before, after = rows.units()
        effect = _MEASURES[measure](rows, self.confidence) if rows.before else undefined("no pairs")
        return Finding(
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
    ruler: Ruler, probe: Probe, twins: Iterable[Twin], verdicts: Verdicts
) -> Iterator[Finding]:
    """Each twin against its text, by model and criterion."""
    own = [twin for twin in twins if twin.probe == probe.name]
    subject = ruler.subject
    for model in verdicts.models:
        for name, criterion in subject.judge.rubric.criteria.items():
            rows = Rows(criterion.scale)
            for twin in own:
                rows.add(
                    place(subject, twin.of, verdicts.score(model, twin.of, name)),
                    place(subject, twin.of, verdicts.score(model, twin.id, name)),
                    twin.of,
                )
            yield ruler.finding(Asked(probe.name, probe.measure, model, name), rows)


def _flips(rows: Rows, confidence: float) -> Stat:
    pairs = zip(rows.before, rows.after, strict=True)
    return share([another(rows.scale, *pair) for pair in pairs], rows.items, confidence)


def _moves(rows: Rows, confidence: float) -> Stat:
    return mean_shift(*rows.units(), rows.items, confidence)


def _accepted(rows: Rows, confidence: float) -> Stat:
    return share([unit >= _HALF for unit in rows.units()[1]], rows.items, confidence)


def _unnoticed(rows: Rows, confidence: float) -> Stat:
    before, after = rows.units()
    return share([b >= a for a, b in zip(before, after, strict=True)], rows.items, confidence)


_MEASURES: Mapping[Measure, Callable[[Rows, float], Stat]] = {
    "flip": _flips,
    "gain": _moves,
    "shift": _moves,
    "accepted": _accepted,
    "unnoticed": _unnoticed,
}


def _note(measure: Measure, before: Sequence[float]) -> str | None:
    at_top = sum(unit == 1 for unit in before)
    if measure == "gain" and 2 * at_top >= len(before) > 0:
        return f"{at_top} of {len(before)} texts were at the top already and could not rise"
    return None
