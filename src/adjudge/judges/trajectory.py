"""What code knows about an agent's trace: which tools it called, in which order, how it went.

No model is asked. A trace that is a text (`Thought:`, `Action:`, `Observation:`) is divided by the
same marks by which `prepare: agent_trace` cuts one.
"""

from __future__ import annotations

import json
import operator
from collections import Counter
from collections.abc import Mapping

from adjudge.core.judge import Judge
from adjudge.core.reason import reason_of
from adjudge.core.rubric import Criterion, Trajectory
from adjudge.core.scale import NotAValue
from adjudge.core.score import Outcome, Score
from adjudge.core.trace import Step, steps_of

from .agent_trace import text_steps

Call = tuple[str, str]  # of a tool: its name, and its arguments in one form for equal ones


def trace_steps(text: str) -> tuple[Step, ...]:
    """The steps of a recorded trace, or of one that is written out as text."""
    if text.lstrip()[:1] in ("[", "{"):
        steps = steps_of(text)
        if not (len(steps) == 1 and steps[0].output == text):  # it was no JSON after all
            return steps
    return text_steps(text)


def computed_scores(judge: Judge, fields: Mapping[str, str]) -> dict[str, Score]:
    """The scores of all criteria that code decides about an item."""
    return {
        name: _score(criterion, criterion.trajectory, fields)
        for name, criterion in judge.rubric.criteria.items()
        if criterion.trajectory is not None
    }


def _score(criterion: Criterion, asked: Trajectory, fields: Mapping[str, str]) -> Score:
    try:
        steps = trace_steps(fields.get(asked.input, ""))
        wanted = trace_steps(fields.get(asked.reference, "")) if asked.match else ()
    except ValueError as error:
        return Score(outcome=Outcome.UNREADABLE, reason=reason_of(error))
    if asked.match is not None:
        value: float | bool = _matches(asked, steps, wanted)
        why = " → ".join(name for name, _ in _calls(steps)) or "–"
    else:
        count = _facts(steps)[str(asked.fact)]
        value = count if asked.most is None else count <= asked.most
        why = f"{asked.fact} {count:g}"
    try:
        on_scale = criterion.scale.read(value)
    except NotAValue as error:
        return Score(outcome=Outcome.OUT_OF_RANGE, raw=value, reason=reason_of(error))
    return Score(
        outcome=Outcome.SCORED,
        value=on_scale,
        raw=on_scale,
        label=criterion.scale.label(on_scale),
        unit=criterion.scale.unit(on_scale),
        explanation=why,
    )


def _calls(steps: tuple[Step, ...], *, arguments: bool = True) -> list[Call]:
    write = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
    called = (step for step in steps if step.kind == "tool")
    return [(step.name, write(step.arguments or {}) if arguments else "") for step in called]


def _matches(asked: Trajectory, steps: tuple[Step, ...], wanted: tuple[Step, ...]) -> bool:
    """strict: the same calls in the same order; unordered: the same calls; subset: none but those
    of the reference; superset: at least those of the reference."""
    made = _calls(steps, arguments=asked.arguments)
    due = _calls(wanted, arguments=asked.arguments)
    if asked.match == "strict":
        return made == due
    agree = {"unordered": operator.eq, "subset": operator.le, "superset": operator.ge}
    return bool(agree[str(asked.match)](Counter(made), Counter(due)))


def _facts(steps: tuple[Step, ...]) -> dict[str, float]:
    calls = _calls(steps)
    return {
        "steps": len(steps),
        "tool_calls": len(calls),
        "errors": sum(bool(step.error) for step in steps),
        "repeated": len(calls) - len(set(calls)),
        "cost": sum(step.cost or 0.0 for step in steps),
        "tokens": sum(step.tokens for step in steps),
    }
