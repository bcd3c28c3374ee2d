"""Scales without an order: the few answers that a prompt lets its judge choose from."""

from __future__ import annotations

import re
from typing import Any

_OPEN, _CLOSE = r"[\"'“‘「『`]", r"[\"'”’」』`]"
_OR = r"[ \t]*[,、]?[ \t]*(?:or|/|\||hoặc|hay|또는|혹은|或者?|または|か)[ \t]*"
_OPTION = r"[^\W_][\w -]{0,24}"
_QUOTED = re.compile(
    rf"(?:{_OPEN}{_OPTION}{_CLOSE}[,、][ \t]*){{0,5}}{_OPEN}{_OPTION}{_CLOSE}"
    rf"(?:{_OR}{_OPEN}{_OPTION}{_CLOSE}){{1,6}}",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"\b[A-Z]{3,20}(?:,\s*[A-Z]{3,20}){0,5},?\s+or\s+[A-Z]{3,20}\b")
_EITHER = re.compile(r"\beither\s+(?P<one>[a-z]{2,20})\s+or\s+(?P<other>[a-z]{2,20})\b")
# Words that make of two quoted words a choice to be made.
_CUE = re.compile(
    r"either|only|single|one of|respon[ds]|answer|output|return|print|label|verdict|classif|grade"
    r"|say|trả lời|đáp|답|출력|회답|回答|输出|判断|答え|出力|判定",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\[\[([A-Za-z][\w <>=]{0,14})\]\]")
_ONE_OF = re.compile(r"(?:Output|Response|Answer|Assistant)\s*\(?\b([AaBb12])\b\)?")
_NOT_OPTIONS = frozenset({"rating", "score", "verdict", "x", "answer", "number"})
_MOST_OPTIONS = 8


def find_choices(text: str) -> tuple[dict[str, Any], int] | None:
    """[[A]] and [[B]]; Output (a) and Output (b); “either "true" or "made up"”, PASS or FAIL."""
    for pattern in (_BRACKETED, _ONE_OF):
        found = [each for each in pattern.finditer(text) if each[1].casefold() not in _NOT_OPTIONS]
        scale = _category([each[1] for each in found])
        if scale:
            return scale, found[0].start()
    return _in_words(text)


def _in_words(text: str) -> tuple[dict[str, Any], int] | None:
    for found in _QUOTED.finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1
        end = text.find("\n", found.end())
        near = text[max(start, found.start() - 90) : found.start()]
        near += text[found.end() : min(end if end >= 0 else len(text), found.end() + 40)]
        options = re.findall(rf"{_OPEN}({_OPTION}){_CLOSE}", found[0])
        scale = _category(options) if _CUE.search(near) else None
        if scale:
            return scale, found.start()
    for found in (*_CAPITALS.finditer(text), *_EITHER.finditer(text)):
        words = re.findall(r"[A-Z]{3,}", found[0]) or [found["one"], found["other"]]
        scale = _category(words)
        if scale:
            return scale, found.start()
    return None


def _category(words: list[str]) -> dict[str, Any] | None:
    options = list(dict.fromkeys(words))
    distinct = {each.casefold() for each in options}
    if not 2 <= len(options) <= _MOST_OPTIONS or len(distinct) < len(options):
        return None
    return {"type": "category", "options": options}
