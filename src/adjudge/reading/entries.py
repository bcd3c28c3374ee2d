"""Lists that are written as text."""

from __future__ import annotations

import re

_BULLET = re.compile(r"^\s{0,40}(?:[-*•·]|\d{1,4}[.)])\s{1,40}")


def split_entries(text: str) -> tuple[str, ...]:
    """The entries of a list written as text, without their bullets or numbers."""
    rows = [_BULLET.sub("", row).strip() for row in text.splitlines()]
    return tuple(row for row in rows if row)
