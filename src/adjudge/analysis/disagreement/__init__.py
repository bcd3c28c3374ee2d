"""Where a judge and people differ: the items, what they have in common, and labels that look like
slips."""

from .disagree import DisagreeOptions, disagreements_of
from .findings import (
    CriterionDisagreements,
    Disagreement,
    Disagreements,
    GraderDisagreements,
    Pattern,
    SuspectLabel,
)

__all__ = [
    "CriterionDisagreements",
    "DisagreeOptions",
    "Disagreement",
    "Disagreements",
    "GraderDisagreements",
    "Pattern",
    "SuspectLabel",
    "disagreements_of",
]
