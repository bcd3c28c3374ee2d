"""The entries of a list of feedback: split out of a text, and without fillers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

_BULLET = re.compile(r"^\s{0,40}(?:[-*•·]|\d{1,4}[.)])\s{1,40}")
# What a model writes where it has nothing to say but a list to fill, in lower case and without the
# signs around it.
_NOTHING = frozenset(
    (
        "", "none", "null", "nil", "n/a", "na", "nothing", "nothing to add", "not applicable",
        "empty", "no", "none mentioned", "none listed", "nothing else", "nothing in particular",
        "없음", "없습니다", "없다", "해당 없음", "해당사항 없음", "해당 사항 없음", "특별히 없음",
        "không", "không có", "không có gì", "không áp dụng", "chưa có", "không có gì thêm",
    )
)  # fmt: skip
_AROUND = " \t\r\n-–—*•·.…,;:!?\"'“”‘’()[]{}<>#_`。"


def split_entries(text: str) -> tuple[str, ...]:
    """The entries of a list written as text, without their bullets or numbers."""
    rows = [_BULLET.sub("", row).strip() for row in text.splitlines()]
    return tuple(row for row in rows if row)


def without_fillers(entries: Iterable[str], headings: Set[str]) -> tuple[str, ...]:
    """The entries that say something: not "None", an echo of the heading, or what was said before.

    `headings` are the names of the section, in lower case.
    """
    kept: dict[str, str] = {}
    for entry in entries:
        bare = _bare(entry)
        if bare in _NOTHING or bare in headings or bare.replace(" ", "_") in headings:
            continue
        # "None (weaknesses)" and "No weaknesses" are nothing too.
        words = [word for word in re.split(r"[^\w/]+", bare) if word]
        if words and words[0] in {"no", "none"} and set(words[1:]) <= headings | _LINKS:
            continue
        kept.setdefault(bare, entry)
    return tuple(kept.values())


_LINKS = frozenset(
    {"of", "the", "for", "are", "is", "were", "found", "identified", "noted", "at", "all"}
)


def _bare(entry: str) -> str:
    return " ".join(_BULLET.sub("", entry).strip(_AROUND).casefold().split())
