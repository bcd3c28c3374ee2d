"""A file that holds several prompts, one below each Markdown heading."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from .placeholders import Slot

_HEADING = re.compile(r"^(#{1,6})[ \t]+([^\n]*?)[ \t]*#*[ \t]*$", re.MULTILINE)
# A file with more headings is a document, not a set of prompts.
_MOST_SECTIONS = 100
_MOST_HEADINGS = 1_000


@dataclass(frozen=True, slots=True)
class PromptSection:
    """A prompt within the file, its heading included: text[start:end]."""

    title: str
    start: int
    end: int


def find_sections(text: str, slots: Sequence[Slot]) -> list[PromptSection]:
    """The prompts of the file; empty when it is but one.

    It holds several when the same placeholder stands below each of at least two headings of one
    level: a prompt with headings of its own shows its item in one place only.
    """
    headings = _headings(text)
    if len(headings) > _MOST_HEADINGS:
        return []
    for level in sorted({len(heading[1]) for heading in headings}):
        starts = [heading for heading in headings if len(heading[1]) == level]
        ends = [*(heading.start() for heading in starts[1:]), len(text)]
        sections = [
            PromptSection(heading[2].strip() or "prompt", heading.start(), end)
            for heading, end in zip(starts, ends, strict=True)
        ]
        if 1 < len(sections) <= _MOST_SECTIONS and _all_show_the_item(sections, slots):
            return sections
    return []


def _all_show_the_item(sections: Sequence[PromptSection], slots: Sequence[Slot]) -> bool:
    """Whether all share a placeholder; those without a name tell only by their number."""
    held = [
        [
            slot.name
            for slot in slots
            if slot.name is not None and section.start <= slot.start < section.end
        ]
        for section in sections
    ]
    shared = set(held[0]).intersection(*held)
    return bool(shared - {""}) or ("" in shared and all(len(names) > 1 for names in held))


def _headings(text: str) -> list[re.Match[str]]:
    """The headings outside of code blocks."""
    fences = [fence.start() for fence in re.finditer("```", text)]
    headings = islice(_HEADING.finditer(text), _MOST_HEADINGS + 1)
    return [heading for heading in headings if bisect(fences, heading.start()) % 2 == 0]


def title_of(text: str) -> str:
    """The "# Title" with which a text begins, "" when it does not begin with one."""
    heading = _HEADING.match(text.lstrip())
    return heading[2].strip() if heading and heading[1] == "#" else ""
