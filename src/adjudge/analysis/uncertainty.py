"""How little a judge's scores of an item can be relied on, told from the scores alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt

from adjudge.core.scale import Category, Scale
from adjudge.core.score import Score
from adjudge.core.verdict import Verdict

# A score in the middle, or one that a single yes or no has moved, only hints at doubt; one that is
# missing, or that another model contradicts, is doubt.
_HINT = 0.5


def item_uncertainty(
    verdicts: Sequence[Verdict], criteria: Mapping[str, Scale]
) -> tuple[float, float]:
    """The largest of the criteria's uncertainties, then their mean, each on 0-1.

    `verdicts` are all that one judge gave the item, by whatever models and in whatever repeats.
    """
    found = [
        criterion_uncertainty([verdict.scores[name] for verdict in verdicts], scale)
        for name, scale in criteria.items()
    ]
    return max(found), sum(found) / len(found)


def criterion_uncertainty(scores: Sequence[Score], scale: Scale) -> float:
    """The strongest of the reasons for doubt, on 0-1.

    They are: the share of scores that are missing; how far repeats and models are apart; how unsure
    the model was, where it said so; and, counted half, a rule that moved the score and a mean in
    the middle of the scale.
    """
    scored = [score for score in scores if score.value is not None]
    if not scored:
        return 1.0
    reasons = [1 - len(scored) / len(scores), _moved(scored) * _HINT]
    known = [score.confidence for score in scored if score.confidence is not None]
    if known:
        reasons.append(1 - sum(known) / len(known))
    if isinstance(scale, Category):
        reasons.append(_dissent(scored, len(scale.options)))
    else:
        units = [score.unit for score in scored if score.unit is not None]
        reasons += [_apart(units), _in_the_middle(units) * _HINT]
    return max(reasons)


def _moved(scored: Sequence[Score]) -> float:
    return sum(score.rule is not None for score in scored) / len(scored)


def _dissent(scored: Sequence[Score], options: int) -> float:
    """The share that differs from the commonest name: 1 when all names are as common."""
    (_, most), *_ = Counter(score.value for score in scored).most_common(1)
    return (1 - most / len(scored)) * options / (options - 1) if options > 1 else 0.0


def _apart(units: Sequence[float]) -> float:
    """Twice the standard deviation: 1 when half of the scores lie at either end."""
    mean = sum(units) / len(units)
    return 2 * sqrt(sum((unit - mean) ** 2 for unit in units) / len(units))


def _in_the_middle(units: Sequence[float]) -> float:
    return 1 - abs(2 * sum(units) / len(units) - 1)
