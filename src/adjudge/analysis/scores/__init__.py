"""A run as numbers: what each judge and model gave to each item, and what people said beside it.

`item_values` is in plain Python. `reader.read_scores` and `reader.read_arrays` give arrays, made of
`grader.Grader`, and need the extra `trust`; names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.extras import names_on_first_use

if TYPE_CHECKING:
    from .grader import CriterionScores
    from .item_values import DIVIDED, over_samples, read_values, values_of
    from .reader import read_scores
    from .summary import (
        CriterionSummary,
        ItemSpread,
        Repeats,
        Stability,
        Summary,
        item_spreads,
        repeats_of,
        summary_of,
    )

__all__ = [
    "DIVIDED",
    "CriterionScores",
    "CriterionSummary",
    "ItemSpread",
    "Repeats",
    "Stability",
    "Summary",
    "item_spreads",
    "over_samples",
    "read_scores",
    "read_values",
    "repeats_of",
    "summary_of",
    "values_of",
]

# Module → the names that are looked up there.
_HOMES = {
    "grader": "CriterionScores",
    "item_values": "DIVIDED over_samples read_values values_of",
    "reader": "read_scores",
    "summary": (
        "CriterionSummary ItemSpread Repeats Stability Summary item_spreads repeats_of summary_of"
    ),
}

if not TYPE_CHECKING:
    __getattr__ = names_on_first_use(__name__, _HOMES)
