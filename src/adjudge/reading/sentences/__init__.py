"""Plain sentences of a reply: grades, choices, comparisons, and what takes them back."""

from .running_text import find_retraction
from .unlabelled import find_statement, place_of_single_criterion

__all__ = ["find_retraction", "find_statement", "place_of_single_criterion"]
