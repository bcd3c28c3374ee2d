"""Labelled lines, headed sections, tables, tags and [[…]] in a reply."""

from .brackets import as_option, bracketed
from .contents import (
    labelled_explanation,
    labelled_feedback,
    labelled_flags,
    labelled_parts,
    labelled_quotes,
    labelled_score,
)
from .parts import criterion_names, find_parts

__all__ = [
    "as_option",
    "bracketed",
    "criterion_names",
    "find_parts",
    "labelled_explanation",
    "labelled_feedback",
    "labelled_flags",
    "labelled_parts",
    "labelled_quotes",
    "labelled_score",
]
