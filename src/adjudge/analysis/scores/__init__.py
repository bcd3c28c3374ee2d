"""A run as arrays: what each judge and model gave to each item, and what people said beside it."""

from .arrays import RunArrays
from .grader import DIVIDED, CriterionScores, Grader, GraderScores, over_repeats
from .reader import RunScores, read_arrays, read_scores
from .stability import ItemSpread, Repeats, Stability, item_spreads, repeats_of
from .summary import CriterionSummary, Summary, summary_of

__all__ = [
    "DIVIDED",
    "CriterionScores",
    "CriterionSummary",
    "Grader",
    "GraderScores",
    "ItemSpread",
    "Repeats",
    "RunArrays",
    "RunScores",
    "Stability",
    "Summary",
    "item_spreads",
    "over_repeats",
    "read_arrays",
    "read_scores",
    "repeats_of",
    "summary_of",
]
