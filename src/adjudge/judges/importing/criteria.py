"""The criteria that a prompt scores, and the words that name them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .naming import slug
from .sample import Field
from .words import SCORES

# "Coherence (1-5)", "- **Tone (0-10)**: …" at the beginning of a line.
_RANGED = re.compile(
    r"^[ \t]*+(?:(?:[-*•]|\d{1,2}[.)]|#+)[ \t]*+)?\**"
    r"(?P<title>[^\W\d][^\n:：()*]{1,40}?)[ \t]*\**[ \t]*"
    r"[(（]\s*-?\d+(?:\.\d+)?\s*(?:점|分|点)?\s*(?:-|–|~|to|đến|에서|到|から)\s*\d+(?:\.\d+)?\s*"
    r"(?:점|分|点)?[)）]",
    re.MULTILINE,
)
_HEADED = re.compile(
    r"^#{1,6}[ \t]*(?:\d{1,2}[.)]?[ \t]*)?(?P<title>[^\n]+?)[ \t:：]*$", re.MULTILINE
)
# 'total rating', "overall score": what the prompt calls the score it wants.
_QUOTED = re.compile(
    r"""['"“‘「`]((?:[\w ]{0,24})\b(?:rating|score|grade)"""
    r"""|[^'"”’」`\n]{0,12}(?:점수|평점|điểm|评分|スコア))['"”’」`]""",
    re.IGNORECASE,
)
SCORE_LINE = re.compile(
    r"^[ \t]*(?:[-*•][ \t]*)?\**(?P<title>(?:[\w ]{0,24}\b(?:rating|score|grade|verdict)"
    r"|점수|평점|총점|điểm(?: số)?|评分|分数|スコア|評価点))\**[ \t]*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_BRACKETED = re.compile(r"\[\[\s*(rating|score|verdict)\s*\]\]", re.IGNORECASE)
# Far more than any rubric has.
_MOST = 100


@dataclass(frozen=True, slots=True)
class CriterionFound:
    """A criterion: its name, its title, where it was read, and its kind of number."""

    name: str
    title: str
    at: int
    floats: bool = False
    truth: bool = False


def find_criteria(text: str, sample: Sequence[Field]) -> list[CriterionFound]:
    """The criteria, from the surest place that names any: the reply's sample, titles with a range
    behind them, what the score is called. Empty when none does."""
    return (_from_sample(text, sample) or _ranged(text) or _called(text))[:_MOST]


def _from_sample(text: str, sample: Sequence[Field]) -> list[CriterionFound]:
    own = [each for each in sample if each.scored and not each.within]
    inner = [each for each in sample if each.scored and each.within]
    # {"scores": {"tone": 3}} names criteria inside, {"tone": {"score": 3}} outside.
    outside = [each for each in inner if slug(each.key) in SCORES]
    found = [
        CriterionFound(name, _title(text, each.within), each.at, each.kind == "number")
        for each in outside
        if (name := slug(each.within))
    ]
    if not found:
        found = [
            CriterionFound(name, _title(text, each.key), each.at, each.kind == "number")
            for at, each in enumerate([*own, *inner], 1)
            # A key in letters that no name may have is told by its title.
            if (name := slug(each.key, fallback=f"criterion_{at}"))
        ]
    if not found:
        found = [
            CriterionFound(
                slug(each.key), _title(text, each.key), each.at, False, each.kind == "truth"
            )
            for each in sample
            if slug(each.key) in SCORES or each.kind == "truth"
        ][:1]
    return _distinct(found)


def _title(text: str, key: str) -> str:
    """The heading that begins with the key, e.g. "Tone (Giọng điệu)" for "tone"; else the key."""
    for found in _HEADED.finditer(text):
        title = found["title"].strip("* ")
        if slug(title) == slug(key):
            return title
    return key


def _ranged(text: str) -> list[CriterionFound]:
    out = []
    for found in _RANGED.finditer(text):
        title = re.sub(r"\s+(?:score|rating)$", "", found["title"].strip(), flags=re.IGNORECASE)
        name = slug(title)
        if name and len(title.split()) <= 4:
            out.append(CriterionFound(name, title, found.start("title")))
    return _distinct(out)


def _called(text: str) -> list[CriterionFound]:
    for pattern in (_QUOTED, _BRACKETED):
        found = pattern.search(text)
        if found and slug(found[1]):
            return [CriterionFound(slug(found[1]), found[1].strip().capitalize(), found.start())]
    lines = [each for each in SCORE_LINE.finditer(text) if slug(each["title"])]
    return _distinct(
        [
            CriterionFound(slug(each["title"]), each["title"].strip(), each.start("title"))
            for each in lines
        ]
    )


def _distinct(found: Sequence[CriterionFound]) -> list[CriterionFound]:
    by_name: dict[str, CriterionFound] = {}
    for each in found:
        by_name.setdefault(each.name, each)
    return list(by_name.values())
