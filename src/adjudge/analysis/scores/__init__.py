"""A run as numbers: what each judge and model gave to each item, and what people said beside it.

`item_values` is in plain Python. The arrays need the extra `trust`; names are loaded when they are
first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.extras import names_on_first_use

if TYPE_CHECKING:
    from .arrays import RunArrays
    from .grader import CriterionScores, Grader, GraderScores, over_repeats
    from .item_values import (
        DIVIDED,
        CriterionValues,
        GraderValues,
        over_samples,
        read_values,
        values_of,
    )
    from .reader import RunScores, read_arrays, read_scores
    from .stability import ItemSpread, Repeats, Stability, item_spreads, repeats_of
    from .summary import CriterionSummary, Summary, summary_of

__all__ = [
    "DIVIDED",
    "CriterionScores",
    "CriterionSummary",
    "CriterionValues",
    "Grader",
    "GraderScores",
    "GraderValues",
    "ItemSpread",
    "Repeats",
    "RunArrays",
    "RunScores",
    "Stability",
    "Summary",
    "item_spreads",
    "over_repeats",
    "over_samples",
    "read_arrays",
    "read_scores",
    "read_values",
    "repeats_of",
    "summary_of",
    "values_of",
]

# Module → the names that are looked up there.
_HOMES = {
    "arrays": "RunArrays",
    "grader": "CriterionScores Grader GraderScores over_repeats",
    "item_values": "DIVIDED CriterionValues GraderValues over_samples read_values values_of",
    "reader": "RunScores read_arrays read_scores",
    "stability": "ItemSpread Repeats Stability item_spreads repeats_of",
    "summary": "CriterionSummary Summary summary_of",
}

if not TYPE_CHECKING:
    __getattr__ = names_on_first_use(__name__, _HOMES)
