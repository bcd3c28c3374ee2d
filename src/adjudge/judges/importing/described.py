"""Inputs that a prompt describes under "Input format" instead of leaving places for them.

Such a prompt is a system prompt: the item follows it in the user's message, in the form described.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .inputs import MOST_INPUTS, Inputs, usable
from .naming import slug, unique
from .template import literal

_HEADING = re.compile(
    r"^[#* \t\d.)]*(?:the )?(?:inputs?\b|(?:dữ liệu )?đầu vào\b|입력|输入|入力|eingabe)"
    r"[^\n]{0,40}$",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = re.compile(
    r"^(?P<before>[ \t]*+(?:(?:[-*•]|\d+[.)])[ \t]*+)?)(?P<label>\**[^\n:：*\[\]{}]{1,40}\**)"
    r"(?P<colon>\**[:：]\**)(?P<rest>[^\n]*)$"
)


@dataclass(frozen=True, slots=True)
class Described:
    """The inputs, the template of the user's message, and where the heading stands."""

    inputs: Inputs
    prompt: str
    at: int


def find_described(text: str) -> Described | None:
    """The first section about the input that lists labels; None when there is none."""
    for heading in _HEADING.finditer(text):
        inputs, rows = _entries(text, heading.end() + 1)
        if rows:
            return Described(inputs, "\n".join(rows), heading.start())
    return None


def _entries(text: str, start: int) -> tuple[Inputs, list[str]]:
    inputs, rows, at = Inputs(), list[str](), start
    while at < len(text) and len(rows) <= MOST_INPUTS:
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)]
        entry = _ENTRY.match(line)
        if entry and not line.lstrip().startswith("#"):
            title = entry["label"].strip("* ")
            name = unique(usable(slug(title, fallback="input")), inputs.titles)
            inputs.add(name, title, at)
            label = literal(f"{entry['before']}{entry['label']}{entry['colon']}")
            rows.append(f"{label} {{{{ {name} }}}}")
        elif line.strip():
            break
        at += len(line) + 1
    return inputs, rows
