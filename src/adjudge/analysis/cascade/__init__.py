"""What a cascade of models decided, what it left to people, and what it saved."""

from .decisions import Cascaded, Decision, Spent, cascade_of, is_cascade, stages_of

__all__ = [
    "Cascaded",
    "Decision",
    "Spent",
    "cascade_of",
    "is_cascade",
    "stages_of",
]
