"""Scores from the probabilities of tokens: the expected value, and a text's likelihood."""

from .expected import Distribution, expected_reading
from .likelihood import combine_parts, likelihood_reading, likelihood_score

__all__ = [
    "Distribution",
    "combine_parts",
    "expected_reading",
    "likelihood_reading",
    "likelihood_score",
]
