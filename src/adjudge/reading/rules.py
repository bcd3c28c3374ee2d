"""The rubric's rules, kept in code: whatever the model says, a cap is a cap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from adjudge.core.rubric import Criterion, Rubric, Rule
from adjudge.core.scale import Binary, Scale, Value
from adjudge.core.score import Outcome, Score

from .found import Found


def apply(
    rubric: Rubric, found: Mapping[str, Found], flags: Mapping[str, bool]
) -> dict[str, Score]:
    """Scores with `raw` as the model gave it and `rule` the one that set the value.

    A flag that was not reported cannot be taken for false: where its rule would change the value,
    the score is `unreadable`, since the rubric's promise could not be kept.

    An expected score is bounded as one number: its `distribution` and `confidence` stay those of
    the raw score. Lying between the levels it bears no label, and `unit` is the expected place on
    0-1, which for yes and no is the probability of yes.
    """
    return {
        name: _score(rubric, rubric.criteria[name], each, flags) for name, each in found.items()
    }


def _score(rubric: Rubric, criterion: Criterion, found: Found, flags: Mapping[str, bool]) -> Score:
    if found.value is None:
        return Score(
            outcome=found.outcome,
            raw=found.given,
            explanation=found.explanation,
            why=found.why,
            span=found.span,
            mass=found.mass,
        )
    value, rule_id = found.value, None
    for rule, bounded in _bounds(rubric, criterion):
        changed = bounded(value)
        if changed == value:
            continue
        if rule.flag not in flags:
            return Score(
                outcome=Outcome.UNREADABLE,
                raw=found.value,
                explanation=found.explanation,
                why=f"the judge did not report {rule.flag}, on which the rule {rule.id} depends",
            )
        if flags[rule.flag]:
            value, rule_id = changed, rule.id
    return Score(
        outcome=Outcome.SCORED,
        value=value,
        raw=found.value,
        rule=rule_id,
        label=None if found.distribution and not rule_id else criterion.scale.label(value),
        unit=criterion.scale.unit(value) if rule_id else _unit(criterion.scale, found),
        distribution=found.distribution,
        confidence=found.confidence,
        mass=found.mass,
        explanation=found.explanation,
        span=found.span,
    )


def _unit(scale: Scale, found: Found) -> float | None:
    if isinstance(scale, Binary) and found.distribution:
        return found.distribution.get(scale.write(True), 0.0)
    return None if found.value is None else scale.unit(found.value)


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


def unreported(
    rubric: Rubric, criteria: tuple[str, ...], found: Mapping[str, Found], flags: Mapping[str, bool]
) -> list[Rule]:
    """The rules of a call whose flag is missing from its reply although it would matter."""
    return [
        rule
        for rule in rubric.flags_of(criteria)
        if rule.flag not in flags
        and any(_matters(rubric, rule, n, found) for n in (*rule.cap, *rule.floor))
    ]


def _matters(rubric: Rubric, rule: Rule, name: str, found: Mapping[str, Found]) -> bool:
    value = found[name].value if name in found else None
    if value is None:
        return name not in found  # asked in another call: it may turn out to matter
    bounds = _bounds(rubric, rubric.criteria[name])
    return any(each is rule and bounded(value) != value for each, bounded in bounds)
