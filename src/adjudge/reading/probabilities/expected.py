"""The expected score: a reply's values weighed by the probabilities of the tokens that wrote them.

After G-Eval (Liu et al. 2023, https://arxiv.org/abs/2303.16634): the sum over the values of the
scale of each value times its probability, which separates what a judge would all call a 4.

Only the way that the model took is known to its end. At each of its tokens the alternatives branch
off: one that means a value (see `value_texts`) counts for it with the probability of getting there;
one that may still become several values counts for none, because nobody knows which.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.core.scale import Binary, Category, Scale, Value
from adjudge.core.score import Outcome

from ..readings import CriterionReading, Reading
from .score_tokens import ScoreTokens, score_tokens
from .tokens import text_of
from .value_texts import NoValue, ValueTexts

# Below this, more than half of what the model might have said is unknown: no mean of the rest.
LEAST_MASS = 0.5


def expected_reading(
    judge: Judge,
    criteria: tuple[str, ...],
    reply: Reply,
    reading: Reading,
    least_mass: float = LEAST_MASS,
) -> Reading:
    """The reading with every value that was read in this reply replaced by the expected one.

    A value that cannot be weighed is `unreadable` and says why: it is never silently the one that
    the text gives, which stays in `raw`. What was not scored is left as it is. `least_mass` (0-1)
    is the least share of probability that must be known.
    """
    scores = dict(reading.scores)
    for name in criteria:
        score = scores.get(name)
        if score is not None and score.outcome is Outcome.SCORED:
            scale = judge.rubric.criteria[name].scale
            scores[name] = _weighed(scale, reply, score, least_mass)
    return replace(reading, scores=scores)


def _weighed(
    scale: Scale, reply: Reply, score: CriterionReading, least_mass: float
) -> CriterionReading:
    if not reply.logprobs:
        return _unknown(score, Reason("expected.no_probabilities"))
    if score.span is None or score.value is None:
        return _unknown(score, Reason("expected.no_place"))
    tokens = score_tokens(scale, score.value, reply, score.span)
    if tokens is None:
        return _unknown(score, Reason("expected.no_tokens", text=_shown(reply, score.span)))
    weighed = distribution(scale, tokens)
    if weighed.sampled not in {None, score.value}:
        return _unknown(score, Reason("expected.other_value", text=_shown(reply, score.span)))
    if not weighed.shares or weighed.mass < least_mass:
        why = Reason("expected.little_mass", mass=weighed.mass, least=least_mass)
        return _unknown(score, why, weighed.mass)
    return replace(
        score,
        value=weighed.value(scale),
        distribution={scale.write(value): share for value, share in weighed.shares.items()},
        confidence=weighed.confidence,
        mass=weighed.mass,
    )


def _unknown(score: CriterionReading, why: Reason, mass: float | None = None) -> CriterionReading:
    return replace(score, outcome=Outcome.UNREADABLE, value=None, why=why, mass=mass)


def _shown(reply: Reply, span: tuple[int, int]) -> str:
    text = reply.text[slice(*span)]
    return text if len(text) <= 30 else f"{text[:29]}…"


@dataclass(frozen=True, slots=True)
class Distribution:
    """`shares` by value, summing to 1; `mass` (0-1) is the probability that they were made of.

    `sampled` is the value that the tokens of the reply spell, None when they spell none.
    """

    shares: Mapping[Value, float]
    mass: float
    sampled: Value | None

    @property
    def confidence(self) -> float:
        """The probability of the most likely value."""
        return max(self.shares.values())

    def value(self, scale: Scale) -> Value:
        """The expected value; where values are names, or yes and no, the most likely one.

        Of equally likely ones it is the one that the model wrote.
        """
        if isinstance(scale, Category | Binary):
            return max(self.shares, key=lambda value: (self.shares[value], value == self.sampled))
        numbers = {float(value): share for value, share in self.shares.items()}
        mean = math.fsum(number * share for number, share in numbers.items())
        return min(max(mean, min(numbers)), max(numbers))  # rounding must not leave the scale


def distribution(scale: Scale, tokens: ScoreTokens) -> Distribution:
    """Over the values that the tokens and their alternatives mean; empty when they mean none."""
    texts = ValueTexts(scale, tokens.written)
    weights: dict[Value, float] = defaultdict(float)
    sampled: Value | None = None
    before, reached = b"", 1.0
    for position in tokens.positions:
        for other, probability in position.others.items():
            meant = texts.meant(text_of(before + other))
            if not isinstance(meant, NoValue):
                weights[meant] += reached * probability
        before, reached = before + position.data, reached * position.probability
        value = texts.meant(text_of(before))
        if not isinstance(value, NoValue):
            weights[value] += reached
            sampled = value
        if value is not NoValue.YET:
            break
    return _normal(scale, weights, sampled)


def _normal(scale: Scale, weights: Mapping[Value, float], sampled: Value | None) -> Distribution:
    total = math.fsum(weights.values())
    if not total > 0:
        return Distribution({}, 0.0, sampled)
    order = scale.values() or sorted(weights, key=float)
    shares = {value: weights[value] / total for value in order if value in weights}
    return Distribution(shares, min(total, 1.0), sampled)
