"""Reply → Scores: values, flags and feedback from a model's text, or why there are none.

Pure functions: the same text always reads the same. `json`, `labelled` and `sentences` know the
forms of a reply, `probabilities` weighs its tokens.
"""

from adjudge.core.language import detect_language, wrong_language

from .evidence import source_text, span_in_field
from .overall import overall_score, score_of_turns
from .pairs import combine_orders, unswapped
from .probabilities import (
    Distribution,
    combine_parts,
    expected_reading,
    likelihood_reading,
    likelihood_score,
)
from .read import read_reply
from .readings import CriterionReading, Reading
from .repair import language_question, repair_question
from .rules import apply_rules, unreported_rules

__all__ = [
    "CriterionReading",
    "Distribution",
    "Reading",
    "apply_rules",
    "combine_orders",
    "combine_parts",
    "detect_language",
    "expected_reading",
    "language_question",
    "likelihood_reading",
    "likelihood_score",
    "overall_score",
    "read_reply",
    "repair_question",
    "score_of_turns",
    "source_text",
    "span_in_field",
    "unreported_rules",
    "unswapped",
    "wrong_language",
]
