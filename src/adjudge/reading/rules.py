"""The rubric's rules, kept in code: whatever the model says, a cap is a cap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion, Rubric, Rule
from adjudge.core.scale import Binary, Scale, Value, value_range
from adjudge.core.score import LOWEST_RULE, REQUIRED_RULE, Outcome, Score

from .readings import CriterionReading


def apply_rules(
    rubric: Rubric, readings: Mapping[str, CriterionReading], flags: Mapping[str, bool]
) -> dict[str, Score]:
    """Scores with `raw` as the model gave it and `rule` the one that set the value.

    A flag that was not reported cannot be taken for false: where its rule would change the value,
    the score is `unreadable`, since the rubric's promise could not be kept.

    An expected score is bounded as one number: its `distribution` and `confidence` stay those of
    the raw score. Between two levels it has no label, and `unit` is the expected place on
    0-1, which for yes and no is the probability of yes.
    """
    return {
        name: _score(rubric, rubric.criteria[name], score, flags)
        for name, score in readings.items()
    }


def _score(
    rubric: Rubric, criterion: Criterion, score: CriterionReading, flags: Mapping[str, bool]
) -> Score:
    if score.value is None:
        return Score(
            outcome=score.outcome,
            raw=score.raw,
            explanation=score.explanation,
            reason=score.why,
            span=score.span,
            mass=score.mass,
            **_beside(score),
        )
    value, rule_id = score.value, None
    if criterion.checklist is not None and _misses_required(score):
        value, rule_id = min(value, 0.0, key=float), REQUIRED_RULE
    if criterion.errors is not None and (reach := value_range(criterion.scale)):
        value, rule_id = (reach[0], LOWEST_RULE) if float(value) < reach[0] else (value, rule_id)
    for rule, bounded in _bounds(rubric, criterion):
        changed = bounded(value)
        if changed == value:
            continue
        if rule.flag not in flags:
            return Score(
                outcome=Outcome.UNREADABLE,
                raw=score.value,
                explanation=score.explanation,
                reason=Reason("rule.unreported", flag=rule.flag, rule=rule.id),
                **_beside(score),
            )
        if flags[rule.flag]:
            value, rule_id = changed, rule.id
    return Score(
        outcome=Outcome.SCORED,
        value=value,
        raw=score.value,
        rule=rule_id,
        label=None if score.distribution and not rule_id else criterion.scale.label(value),
        unit=_share(criterion, value)
        if rule_id or criterion.in_parts
        else _unit(criterion.scale, score),
        distribution=score.distribution,
        confidence=score.confidence,
        mass=score.mass,
        explanation=score.explanation,
        span=score.span,
        **_beside(score),
    )


def _beside(score: CriterionReading) -> dict[str, Any]:
    """What goes with a score whatever becomes of its value."""
    if not (score.evidence or score.parts or score.unsupported):
        return {}
    outcome = Outcome.UNSUPPORTED if score.unsupported else None
    return {"evidence": score.evidence, "parts": score.parts, "explanation_outcome": outcome}


def _misses_required(score: CriterionReading) -> bool:
    """Of a fault, which has points below 0, the answer that misses it is yes."""
    required = [part for part in score.parts if part.required]
    return any(part.verdict == ("no" if (part.points or 0) > 0 else "yes") for part in required)


def _unit(scale: Scale, score: CriterionReading) -> float | None:
    if isinstance(scale, Binary) and score.distribution:
        return score.distribution.get(scale.write(True), 0.0)
    return None if score.value is None else scale.unit(score.value)


def _share(criterion: Criterion, value: Value) -> float | None:
    """Of a share, its own place on 0-1: below 0 there is none; else that on the scale."""
    checklist = criterion.checklist
    if checklist is not None and checklist.score == "share":
        return min(max(float(value), 0.0), 1.0)
    unit = criterion.scale.unit(value)
    return min(max(unit, 0.0), 1.0) if criterion.in_parts and unit is not None else unit


def _bounds(
    rubric: Rubric, criterion: Criterion
) -> Iterator[tuple[Rule, Callable[[Value], Value]]]:
    """The rules that bound the criterion: floors first, so that where both apply the cap holds."""
    name, scale = criterion.name, criterion.scale
    for rule in rubric.rules:
        if name in rule.floor:
            yield rule, partial(scale.floor, limit=rule.floor[name])
    for rule in rubric.rules:
        if name in rule.cap:
            yield rule, partial(scale.cap, limit=rule.cap[name])


def unreported_rules(
    rubric: Rubric,
    criteria: tuple[str, ...],
    readings: Mapping[str, CriterionReading],
    flags: Mapping[str, bool],
) -> list[Rule]:
    """The rules of a call whose flag is missing from its reply although it would matter."""
    return [
        rule
        for rule in rubric.flags_of(criteria)
        if rule.flag not in flags
        and any(_matters(rubric, rule, n, readings) for n in (*rule.cap, *rule.floor))
    ]


def _matters(
    rubric: Rubric, rule: Rule, name: str, readings: Mapping[str, CriterionReading]
) -> bool:
    value = readings[name].value if name in readings else None
    if value is None:
        return name not in readings  # asked in another call: it may turn out to matter
    bounds = _bounds(rubric, rubric.criteria[name])
    return any(bounding is rule and bounded(value) != value for bounding, bounded in bounds)
