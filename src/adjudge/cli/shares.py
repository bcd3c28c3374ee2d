"""Shares as people write them: 2% or 0.02."""

from __future__ import annotations

from adjudge.errors import UsageError


def share(text: str, flag: str) -> float:
    """0 to 1; UsageError that names the flag for anything else."""
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise UsageError(f"{flag} {text}: write a share such as 2% or 0.02.")
    return found
