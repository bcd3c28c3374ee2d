"""What a model says of an item in all its samples together, and how sure it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from adjudge.core.scale import Binary, Category, Number, Scale, Value
from adjudge.core.score import Score
from adjudge.core.verdict import Verdict

_SAME = 1e-9  # the distance of 4.3 and 3.3 is a little more than 1 in binary


@dataclass(frozen=True, slots=True)
class Sure:
    """The value of each criterion; `confidence` is that of the least sure one, on 0-1."""

    values: Mapping[str, Value]
    confidence: float


def sure(
    verdicts: Sequence[Verdict],
    scales: Mapping[str, Scale],
    within: float | None,
    *,
    by_repeats: bool,
) -> Sure | None:
    """What one model's samples of an item come to; None where that is unknown.

    By repeats, the confidence is the share of samples that say what most say (on a scale of any
    numbers: that lie near their median); a sample without a score does not say so. Else it is what
    the scores themselves tell, the mean over samples, and one that tells none leaves it unknown.
    """
    values, confidences = {}, []
    for name, scale in scales.items():
        scores = [verdict.scores[name] for verdict in verdicts]
        scored = [score for score in scores if score.value is not None]
        if not scored:
            return None
        if by_repeats:
            values[name], share = _majority(scored, scale, tolerance(scale, within))
        else:
            shares = [score.confidence for score in scored if score.confidence is not None]
            if len(shares) < len(scored):
                return None
            values[name], share = _mean(scored), fmean(shares)
        confidences.append(share * len(scored) / len(scores))
    return Sure(values, min(confidences))


def _majority(scored: Sequence[Score], scale: Scale, near: float) -> tuple[Value, float]:
    values = _values(scored)
    if isinstance(scale, Number):
        numbers = [float(value) for value in values]
        middle = median(numbers)
        return middle, sum(abs(n - middle) <= near + _SAME for n in numbers) / len(numbers)
    mode = _mode(values)
    return mode, values.count(mode) / len(values)


def _mean(scored: Sequence[Score]) -> Value:
    """For names the most frequent one."""
    values = _values(scored)
    numbers = [value for value in values if not isinstance(value, str)]
    return fmean(numbers) if len(numbers) == len(values) else _mode(values)


def _values(scored: Sequence[Score]) -> list[Value]:
    return [score.value for score in scored if score.value is not None]


def _mode(values: Sequence[Value]) -> Value:
    return Counter(values).most_common(1)[0][0]


def tolerance(scale: Scale, within: float | None) -> float:
    """How far a score may be from people's to agree with them, in units of the scale.

    Without a wish half a level: people's mean rounds to the score. On a scale of any numbers a
    tenth of it; names, and yes and no, are the same or not.
    """
    if isinstance(scale, Category):
        return 0.0
    if within is not None:
        return within
    if isinstance(scale, Number):
        return (scale.max - scale.min) / 10
    # Two raters who say yes and no agree with neither.
    return 0.499 if isinstance(scale, Binary) else 0.5


def agrees(value: Value, people: float | str, scale: Scale, within: float | None) -> bool:
    """Whether a score is what people say."""
    if isinstance(value, str) or isinstance(people, str):
        return value == people
    return abs(value - people) <= tolerance(scale, within) + _SAME
