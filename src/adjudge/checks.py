"""Ready-made checks: criteria that Python computes, for `checks=[…]` of `run` and `judge`."""

from .running.checks import PythonCheck, contains, exact_match, is_json, length, matches

__all__ = ["PythonCheck", "contains", "exact_match", "is_json", "length", "matches"]
