"""What stands in a criterion's place → what was found for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.core.rubric import Criterion
from adjudge.core.scale import NotAValue, OffScale
from adjudge.core.score import Outcome

from .found import Found
from .place import Place
from .written import leading_number, value_of

Feedback = Mapping[str, str | tuple[str, ...]]


def found_in(
    criterion: Criterion, place: Place | None, explanation: str | None, feedback: Feedback
) -> Found:
    """The place's value, or why it holds none."""
    explanation = _explanation(criterion, explanation, feedback)
    if place is None:
        return Found(
            outcome=Outcome.UNREADABLE,
            why=f"no value for {criterion.name} in the reply",
            explanation=explanation,
        )
    raw, where = place.raw, place.words
    stated: dict[str, Any] = {
        "start": place.start,
        "stop": place.stop,
        "form": place.form,
        "key": place.key,
    }
    try:
        value = value_of(criterion.scale, raw)
    except OffScale as error:
        given = raw if isinstance(raw, int | float) else _number_or_none(criterion, raw)
        return Found(
            outcome=Outcome.OUT_OF_RANGE,
            given=given,
            why=f"{error} ({where})",
            explanation=explanation,
            span=place.span,
            **stated,
        )
    except NotAValue as error:
        why = f"{error} ({where})"
        return Found(outcome=Outcome.UNREADABLE, why=why, explanation=explanation, place=where)
    return Found(
        outcome=Outcome.SCORED,
        value=value,
        given=value,
        explanation=explanation,
        place=where,
        span=place.span,
        **stated,
    )


def _explanation(criterion: Criterion, own: str | None, feedback: Feedback) -> str | None:
    """The criterion's own, or the section that serves as it."""
    if not isinstance(criterion.explain, str):
        return own
    section = feedback.get(criterion.explain)
    return "\n".join(section) if isinstance(section, tuple) else section


def _number_or_none(criterion: Criterion, raw: object) -> float | None:
    try:
        return leading_number(str(raw).strip(), criterion.scale)
    except NotAValue:
        return None
