"""Words with which a judge takes back what it has just said."""

from __future__ import annotations

import re

# At the beginning of a sentence only: "the reply actually helps" takes nothing back.
_BEGIN = r"(?:^|[\n.!?…。！？:]\s{0,3}[*_(]{0,3}|—\s?)"
_TAKEN_BACK = re.compile(
    _BEGIN + r"(?:(?:(?:but|hmm+|oh|no|okay|ok)\W{1,3})?actually,?\s(?=(?:it|this|the|i|we)\b)"
    r"|(?:(?:but|hmm+|oh|no|okay|ok)\W{1,3})?"
    r"(?:wait\b(?! (?:times?|for|until|staff)\b)|actually,|hold on\b|scratch that"
    r"|on second thoughts?\b"
    r"|(?:up)?on (?:further )?(?:reflection|reconsideration)\b"
    r"|let me (?:re-?\w{1,20}|correct|change|look again|think again)|let['’]s (?:re-?\w{1,20}"
    r"|look again)"
    r"|i (?:take (?:it|that) back|changed? my mind|stand corrected|misread|(?:need"
    r"|have) to (?:correct|revise)"
    r"|made an? (?:mistake|error))|my mistake|sorry, i\b"
    r"|(?:correction|edit|erratum|korrektur|更正|订正|訂正|정정|đính chính)\s?[:：]"
    r"|다시 (?:생각|보니)|잠깐|아니,|khoan|thực ra,|nghĩ lại|等等|等一下|不对|不對|重新考虑"
    r"|いや、|待って|moment,|halt,|nein,))",
    re.IGNORECASE,
)  # fmt: skip
# Verdicts are followed by little; no need to search a book.
_FAR_ENOUGH = 4000


def taken_back(text: str, after: int) -> int | None:
    """Where the text, behind a verdict that ends at `after`, begins to take it back."""
    found = _TAKEN_BACK.search(text, after, after + _FAR_ENOUGH)
    return found.start() if found else None
