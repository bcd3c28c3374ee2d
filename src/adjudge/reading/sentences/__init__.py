"""Plain sentences of a reply: grades, choices, comparisons, and what takes them back."""

from .running_text import find_retraction

__all__ = ["find_retraction"]
