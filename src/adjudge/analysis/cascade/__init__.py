"""What a cascade of models decided, what it left to people, and what it saved."""

from .decisions import Cascaded, Decision, cascade_of, is_cascade, stages_of
from .savings import Spent

__all__ = [
    "Cascaded",
    "Decision",
    "Spent",
    "cascade_of",
    "is_cascade",
    "stages_of",
]
