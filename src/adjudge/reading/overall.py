"""Scores made of scores in code, so that no model does the sum: the overall score of the criteria,
and one score of several turns.

The overall score works on the values where all parts share a scale, else on their places on 0-1. A
part that does not apply is left out, with its weight. Where one is unscored, there is no value: the
score lies between what the part's lowest and highest value would make of it. A required part that
fails makes the whole void, or caps it; one that is unscored leaves nothing to say.

    weighted_mean   sum of weight x part over the sum of the weights above 0
    sum             sum of weight x part
    min             the lowest part
    all, any        whether all parts pass, or any does
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion, Overall, Rubric
from adjudge.core.scale import Binary, Scale, Value, value_range
from adjudge.core.score import Outcome, OverallScore, Score, TurnScore


@dataclass(frozen=True, slots=True)
class _PartRange:
    """A part between its ends, which are one where it is scored."""

    weight: float
    low: float
    high: float


def overall_score(rubric: Rubric, scores: Mapping[str, Score]) -> OverallScore | None:
    """The score over the rubric's parts; None where the rubric has none."""
    overall = rubric.overall
    if overall is None:
        return None
    failed, unscored = _required(rubric, scores)
    if voiding := next((name for name in failed if _cap(rubric, name) is None), None):
        return OverallScore(
            outcome=Outcome.VOID, passed=False, reason=Reason("overall.void", criterion=voiding)
        )
    if unscored:
        reason = Reason("overall.required_unscored", criterion=unscored[0])
        return OverallScore(outcome=scores[unscored[0]].outcome, reason=reason)
    applying = [
        name
        for name in overall.over
        if name in scores and scores[name].outcome is not Outcome.NOT_APPLICABLE
    ]
    if not applying:
        reason = Reason("overall.nothing_applies")
        return OverallScore(outcome=Outcome.NOT_APPLICABLE, reason=reason)
    parts = [_part(rubric, overall, name, scores[name]) for name in applying]
    low, high = _combined(overall, parts)
    caps = [cap for name in failed if (cap := _cap(rubric, name)) is not None]
    low, high = min([low, *caps]), min([high, *caps])
    missing = [name for name in applying if scores[name].value is None]
    return _settled(rubric, overall, (low, high), [scores[name].outcome for name in missing])


def _required(rubric: Rubric, scores: Mapping[str, Score]) -> tuple[list[str], list[str]]:
    """The required criteria that failed, and those that have no score."""
    failed, unscored = [], []
    for name, criterion in rubric.criteria.items():
        if criterion.required is None or name not in scores:
            continue
        score = scores[name]
        if score.outcome is Outcome.NOT_APPLICABLE:
            continue
        if score.value is None:
            unscored.append(name)
        elif not criterion.passes(score.value):
            failed.append(name)
    return failed, unscored


def _cap(rubric: Rubric, name: str) -> float | None:
    required = rubric.criteria[name].required
    return required.cap if required else None


def _part(rubric: Rubric, overall: Overall, name: str, score: Score) -> _PartRange:
    criterion = rubric.criteria[name]
    if overall.kind in {"all", "any"}:
        low, high = _passing(overall, criterion, score)
    elif score.value is not None:
        low = high = float(score.value) if rubric.shares_scale else float(score.unit or 0.0)
    else:
        low, high = (value_range(criterion.scale) if rubric.shares_scale else None) or (0.0, 1.0)
    return _PartRange(criterion.weight, low, high)


def _passing(overall: Overall, criterion: Criterion, score: Score) -> tuple[float, float]:
    if score.value is None:
        return 0.0, 1.0
    passes = float(criterion.passes(score.value, overall.threshold))
    return passes, passes


def _combined(overall: Overall, parts: Sequence[_PartRange]) -> tuple[float, float]:
    """The lowest and the highest that the parts can come to."""
    lows, highs = [part.low for part in parts], [part.high for part in parts]
    if overall.kind in {"min", "all"}:
        return min(lows), min(highs)
    if overall.kind == "any":
        return max(lows), max(highs)
    ends = [sorted((part.weight * part.low, part.weight * part.high)) for part in parts]
    low, high = sum(end[0] for end in ends), sum(end[1] for end in ends)
    if overall.kind == "weighted_mean":
        total = sum(part.weight for part in parts if part.weight > 0)
        if not total:  # only faults apply: there is nothing to have
            return 0.0, 0.0
        low, high = low / total, high / total
    return low, high


def _settled(
    rubric: Rubric, overall: Overall, ends: tuple[float, float], missing: Sequence[Outcome]
) -> OverallScore:
    low, high = round(ends[0], 10), round(ends[1], 10)
    if missing and low != high:
        return OverallScore(
            outcome=missing[0],
            passed=_passes(overall, low, high),
            low=low,
            high=high,
            reason=Reason("overall.part_unscored", low=low, high=high),
        )
    value = bool(low) if overall.kind in {"all", "any"} else low
    return OverallScore(
        outcome=Outcome.SCORED,
        value=value,
        passed=_passes(overall, low, high),
        low=low,
        high=high,
        unit=_unit(rubric, value),
    )


def _passes(overall: Overall, low: float, high: float) -> bool | None:
    """Whether it passes, at both ends alike; None where that is open, or nothing says when."""
    if overall.kind in {"all", "any"}:
        return bool(low) if low == high else None
    if overall.threshold is None:
        return None
    at_low, at_high = overall.threshold.met(low), overall.threshold.met(high)
    return at_low if at_low == at_high else None


def _unit(rubric: Rubric, value: float) -> float | None:
    unit = rubric.overall_scale.unit(value)
    return None if unit is None else round(min(max(unit, 0.0), 1.0), 10)


def score_of_turns(scale: Scale, turns: tuple[TurnScore, ...]) -> Score:
    """The mean of all turns; of yes and no, yes where all are. Without a value where a turn has
    none: the outcome is then that of the first such turn."""
    failed = next((turn for turn in turns if turn.score.value is None), None)
    explanation = _explanations(turns)
    if failed is not None:
        why = Reason("turns.unscored", turn=failed.turn, why=failed.score.reason or "")
        return Score(outcome=failed.score.outcome, reason=why, explanation=explanation, turns=turns)
    wrong = any(turn.score.explanation_outcome is not None for turn in turns)
    value = _over_turns(scale, [turn.score.value for turn in turns if turn.score.value is not None])
    return Score(
        outcome=Outcome.SCORED,
        value=value,
        raw=_over_turns(scale, [turn.score.raw for turn in turns if turn.score.raw is not None]),
        rule=next((turn.score.rule for turn in turns if turn.score.rule), None),
        label=scale.label(value) if value in (scale.values() or ()) else None,
        unit=scale.unit(value),
        explanation=explanation,
        explanation_outcome=Outcome.WRONG_LANGUAGE if wrong else None,
        turns=turns,
    )


def _over_turns(scale: Scale, values: list[Value]) -> Value:
    if isinstance(scale, Binary):
        return all(values)
    mean = sum(map(float, values)) / len(values)
    return int(mean) if mean.is_integer() and isinstance(values[0], int) else mean


def _explanations(turns: tuple[TurnScore, ...]) -> str | None:
    said = [f"[{t.turn}] {t.score.explanation}" for t in turns if t.score.explanation]
    return "\n".join(said) or None
