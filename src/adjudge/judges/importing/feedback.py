"""Sections of free text that a prompt asks for: numbered bold headings, or keys of its sample."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .naming import slug
from .sample import SampleField
from .words import EXPLANATIONS, SCORES

_SECTION = re.compile(
    r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]*\*\*(?P<title>[^*\n]{1,60}?)[:：]?\*\*[ \t]*[:：]?[ \t]*"
    r"(?P<guide>[^\n]*)$",
    re.MULTILINE,
)
_ASKS = re.compile(
    r"\b(?:provide|write|include|output|respond|reply|answer with|return|produce|structure"
    r"|following (?:format|sections))|작성|제공|출력|포함|cung cấp|trả về|viết|输出|提供|包括"
    r"|出力|記述",
    re.IGNORECASE,
)
_CRITERIA = re.compile(
    r"criteri|aspect|dimension|metric|consider|tiêu chí|기준|항목|标准|维度|基準|観点",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\b(\d{1,2})\s*(?:-|–|~|to|or|đến)\s*(\d{1,2})\b|\b(\d{1,2})\b")


@dataclass(slots=True)
class Sections:
    """The feedback of the judge file, with the offset of each section in the text."""

    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    at: dict[str, int] = field(default_factory=dict)

    def explaining(self) -> str | None:
        """The section that serves as the explanation of a single score."""
        return next((name for name in self.entries if name in EXPLANATIONS), None)


def find_sections(text: str, sample: Sequence[SampleField], criteria: Sequence[str]) -> Sections:
    """The sections asked for; a sample of the reply outdoes headings."""
    out = Sections()
    if sample:
        for sample_field in sample:
            name = slug(sample_field.key)
            if (
                sample_field.kind in {"text", "list"}
                and not sample_field.within
                and _is_own(name, criteria)
            ):
                out.entries[name] = (
                    {"title": sample_field.key, "list": True} if sample_field.kind == "list" else {}
                )
                out.at[name] = sample_field.at
        return out
    for heading in _run(text):
        name = slug(heading["title"])
        if name and name not in {*criteria, *SCORES, "explanation"}:
            out.entries[name] = _entry(heading)
            out.at[name] = heading.start()
    return out


def _is_own(name: str, criteria: Sequence[str]) -> bool:
    """Explanations belong to the scores and are read there."""
    if not name or name in EXPLANATIONS or name in criteria or name in SCORES:
        return False
    return not any(name == f"{one}_{word}" for one in criteria for word in EXPLANATIONS | SCORES)


def _run(text: str) -> list[re.Match[str]]:
    """The bold entries of the last list that the prompt asks to be written."""
    asked: list[re.Match[str]] = []
    last_end = -1
    for heading in _SECTION.finditer(text):
        between = text[last_end : heading.start()] if last_end >= 0 else None
        if between is not None and not between.strip():
            asked += [heading] if asked and asked[-1].end() == last_end else []
        elif _is_asked(text, heading.start()):
            asked = [heading]
        last_end = heading.end()
    return asked


def _is_asked(text: str, at: int) -> bool:
    lead = next((row for row in reversed(text[:at].split("\n")) if row.strip()), "")
    return bool(_ASKS.search(lead)) and not _CRITERIA.search(lead)


def _entry(heading: re.Match[str]) -> dict[str, Any]:
    entry: dict[str, Any] = {"title": heading["title"].strip(), "guide": heading["guide"].strip()}
    if not re.match(r"list\b|suggest\b|liệt kê|나열|列出|列挙", heading["guide"], re.IGNORECASE):
        return entry
    entry["list"] = True
    count = _COUNT.search(heading["guide"])
    if count:
        least, most = count[1] or count[3], count[2] or count[3]
        entry |= {"least": int(least), "most": int(most)}
    return entry
