"""The scores of several turns of a conversation, made one."""

from __future__ import annotations

from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Scale, Value
from adjudge.core.score import Outcome, Score, TurnScore


def score_of_turns(scale: Scale, turns: tuple[TurnScore, ...]) -> Score:
    """The mean of all turns; of yes and no, yes where all are. Without a value where a turn has
    none: the outcome is then that of the first such turn."""
    failed = next((turn for turn in turns if turn.score.value is None), None)
    explanation = _explanations(turns)
    if failed is not None:
        why = Reason("turns.unscored", turn=failed.turn, why=failed.score.reason or "")
        return Score(outcome=failed.score.outcome, reason=why, explanation=explanation, turns=turns)
    wrong = any(turn.score.explanation_outcome is not None for turn in turns)
    value = _value(scale, [turn.score.value for turn in turns if turn.score.value is not None])
    return Score(
        outcome=Outcome.SCORED,
        value=value,
        raw=_value(scale, [turn.score.raw for turn in turns if turn.score.raw is not None]),
        rule=next((turn.score.rule for turn in turns if turn.score.rule), None),
        label=scale.label(value) if value in (scale.values() or ()) else None,
        unit=scale.unit(value),
        explanation=explanation,
        explanation_outcome=Outcome.WRONG_LANGUAGE if wrong else None,
        turns=turns,
    )


def _value(scale: Scale, values: list[Value]) -> Value:
    if isinstance(scale, Binary):
        return all(values)
    mean = sum(map(float, values)) / len(values)
    return int(mean) if mean.is_integer() and isinstance(values[0], int) else mean


def _explanations(turns: tuple[TurnScore, ...]) -> str | None:
    said = [f"[{t.turn}] {t.score.explanation}" for t in turns if t.score.explanation]
    return "\n".join(said) or None
