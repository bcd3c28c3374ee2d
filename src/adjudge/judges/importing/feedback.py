"""What a reply holds besides scores: sections of free text, and the reasons of each score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .findings import ImportFindings
from .naming import slug
from .options import Options
from .sample import SampleField
from .words import ASKS_WHY, REASONS, SCORE_ALONE, SCORES

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
        return next((name for name in self.entries if name in REASONS), None)


def find_sections(text: str, sample: Sequence[SampleField], criteria: Sequence[str]) -> Sections:
    """The sections asked for; a sample of the reply outdoes headings."""
    out = Sections()
    if sample:
        for sample_field in sample:
            name = slug(sample_field.key)
            if (
                sample_field.kind in {"text", "list"}
                and sample_field.key not in REASONS
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
        if name and name not in {*criteria, "explanation"} and name not in SCORES:
            out.entries[name] = _entry(heading)
            out.at[name] = heading.start()
    return out


def _is_own(name: str, criteria: Sequence[str]) -> bool:
    """Explanations belong to the scores and are read there."""
    if not name or name in REASONS or name in criteria or name in SCORES:
        return False
    rest = [name.removeprefix(f"{one}_") for one in criteria if name.startswith(f"{one}_")]
    return not any(word in REASONS or word in SCORES for word in rest)


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


@lru_cache(maxsize=2)  # asked for the same text by both below
def _asked(text: str) -> tuple[int | None, int | None]:
    """Where reasons are asked for, and where nothing but the score is."""
    matches = (ASKS_WHY.search(text), SCORE_ALONE.search(text))
    asked, alone = (match.start() if match else None for match in matches)
    return asked, alone


def is_explained(text: str, options: Options) -> bool:
    """As set, else whether reasons are asked for and not forbidden elsewhere."""
    setting = options.get("explain")
    if setting is None:
        asked, alone = _asked(text)
        return asked is not None and alone is None
    if setting not in {"yes", "no"}:
        raise UsageError(Reason("import.explain").at_option("set", f"explain={setting}"))
    return setting == "yes"


def tell_of_reasons(
    by_criterion: dict[str, bool | str], text: str, options: Options, to: ImportFindings
) -> None:
    """Reports for which criteria an explanation is expected, and which words say so.

    A text in the place of a truth names the section that explains the score; it was told already.
    """
    setting = options.get("explain")
    if setting:
        to.set("explanation", setting)
    if setting or any(isinstance(how, str) for how in by_criterion.values()):
        return
    asked, alone = _asked(text)
    silent = [name for name, how in by_criterion.items() if how is False]
    about = len(silent) < len(by_criterion)
    if asked is not None and len(silent) < len(by_criterion):
        to.read("explanation", Reason("import.value.asked_for"), asked)
    if silent and alone is not None and not about:
        to.read("explanation", Reason("import.value.none"), alone)
    elif silent:
        none = Reason("import.value.no_reasons")
        if about:
            none = Reason("import.value.no_reasons_for", criteria=tuple(silent))
        to.assume("explanation", none, "explain")
