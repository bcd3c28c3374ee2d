"""Where a judge and people differ: the items, what they have in common, and labels that look like
slips."""

from .disagree import DisagreeOptions, disagreements_of
from .findings import (
    ClauseQuestions,
    CriterionDisagreements,
    Disagreement,
    Disagreements,
    GraderDisagreements,
    Pattern,
    SlipTrial,
    SuspectLabel,
    UnclearClause,
)

__all__ = [
    "ClauseQuestions",
    "CriterionDisagreements",
    "DisagreeOptions",
    "Disagreement",
    "Disagreements",
    "GraderDisagreements",
    "Pattern",
    "SlipTrial",
    "SuspectLabel",
    "UnclearClause",
    "disagreements_of",
]
