"""Labels whose verdicts a prompt shows one by one, a line each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .vocabulary import VERDICT_WORDS, words

_OR = re.compile(words("or"), re.IGNORECASE)
# "C (right)", "B - some of it"
_WITH_MEANING = re.compile(r"(?P<option>[A-Z]|[A-Z_]{2,20})\s?(?:[(（=]|[–—-]\s)\s?[^\W\d]")


def by_examples(lines: Sequence[re.Match[str]]) -> dict[str, str]:
    """Labels that stand in lines below each other with one verdict each, or with a letter and what
    it means: "Answer: Yes", OR, "Answer: No"; "GRADE: C (right)", "GRADE: I (wrong)"."""
    shown: dict[str, list[str]] = {}
    for one, other in pairwise(lines):
        values = [_option_of(line["rest"]) for line in (one, other)]
        between = one.string[one.end() : other.start()].strip(" \n\t-*")
        alike = one["title"] == other["title"] and values[0] != values[1]
        if alike and all(values) and (not between or _OR.fullmatch(between)):
            shown.setdefault(one["title"].strip(), []).extend(values)
    return {title: " | ".join(dict.fromkeys(values)) for title, values in shown.items()}


def _option_of(rest: str) -> str:
    """The verdict that a label's line shows; "" where it shows none."""
    value = rest.strip(" .*\"'`")
    if value.casefold() in VERDICT_WORDS:
        return value
    meant = _WITH_MEANING.match(value)
    return meant["option"] if meant else ""
