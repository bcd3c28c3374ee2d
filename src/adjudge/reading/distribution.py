"""How likely each value of a scale was, by the tokens that a reply wrote and those that it did not.

Only the way that the model took is known to its end. At each of its tokens the alternatives branch
off: one that means a value (see `value_texts`) counts for it with the probability of getting there;
one that may still become several values counts for none, because nobody knows which.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.core.scale import Binary, Category, Scale, Value

from .score_tokens import ScoreTokens
from .token_bytes import text_of
from .value_texts import Not, ValueTexts


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
            return max(self.shares, key=lambda each: (self.shares[each], each == self.sampled))
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
            if not isinstance(meant, Not):
                weights[meant] += reached * probability
        before, reached = before + position.data, reached * position.probability
        said = texts.meant(text_of(before))
        if not isinstance(said, Not):
            weights[said] += reached
            sampled = said
        if said is not Not.YET:
            break
    return _normal(scale, weights, sampled)


def _normal(scale: Scale, weights: Mapping[Value, float], sampled: Value | None) -> Distribution:
    total = math.fsum(weights.values())
    if not total > 0:
        return Distribution({}, 0.0, sampled)
    order = scale.values() or sorted(weights, key=float)
    shares = {value: weights[value] / total for value in order if value in weights}
    return Distribution(shares, min(total, 1.0), sampled)
