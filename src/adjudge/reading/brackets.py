"""Verdicts in double brackets, as many prompts ask for: [[4]], [[Rating: 4]], [[A]], [[A>>B]]."""

from __future__ import annotations

import re
from collections import deque

from adjudge.core.scale import Category, Scale, folded

from .options import names_among, third_for_tie, tie_among
from .place import Place

# [[4]], [[Rating: 4]], [[Rating: [4]]], [[rating]]: 4, [[rating]]: [4], [[Rating]: 4]
# All repetitions are bounded, so that no run of one sign is gone through again and again.
_S = r"\s{0,4}"
_N = r"\d{1,9}(?:[.,]\d{1,9})?"
_BRACKETS = re.compile(
    rf"\[\[{_S}(?:[^\W\d]{{1,30}}{_S}\]\]{_S}[:：]?{_S}\[{{0,2}}{_S}({_N}(?:/\d{{1,9}})?)(?![\d%])"
    rf"|[^\W\d]{{1,30}}{_S}\]{_S}[:：]{_S}({_N}){_S}\]"
    rf"|(?:[^\[\]\n]{{0,30}}[:：]{_S})?\[?{_S}([^\[\]\n:：]{{1,40}}?){_S}\]{{2,3}})"
)
# As mathematics writes its results: \boxed{4}, \boxed{\text{A}}
_BOXED = re.compile(r"\\boxed\{\s{0,4}(?:\\text\{)?([^{}\n]{1,40}?)\s{0,4}\}")
_COMPARED = re.compile(r"([AB])\s?(>{1,2}|<{1,2}|=|≈)\s?([AB])", re.IGNORECASE)
# "By adding sources it could be improved further, earning a rating of [[10]]", behind a real [[9]]
_SUPPOSED = re.compile(
    r"(?:\b(?:could|might|would) (?:\w{1,12} ){0,2}(?:be|have been) (?:\w{1,12} ){0,2}(?:improved"
    r"|enhanced|strengthened|raised|increased|better)\b[^.!?\n\[\]]{0,80}\b(?:earn|receiv|achiev"
    r"|deserv|gett|reach|rais|mak)\w{1,6}"
    r"|\b(?:to|could|might) (?:have )?(?:earn|achieve|reach|get|receive|deserve)\w{0,3}\s"
    r"|\b(?:if|had) (?:it|the|this|they)\b)[^.!?\n\[\]]{0,60}\Z",
    re.IGNORECASE,
)
# More than these on one line are a list, however many there are.
_MOST_ON_A_LINE = 50


def bracketed(text: str) -> Place | None:
    """The content of the last [[…]], without a label inside it: [[Rating: 7]] → "7"."""
    pattern = _BRACKETS if "[[" in text else _BOXED
    found = deque(pattern.finditer(text), maxlen=_MOST_ON_A_LINE)
    if not found:
        return None
    while len(found) > 1 and _supposed(text, found[-1].start()):
        found.pop()
    last = found[-1]
    line = text.rfind("\n", 0, last.start())
    beside = {match[0] for match in found if match.start() > line}
    if len(beside) > 1:  # "[[A]] or [[B]]", "[[3]], [[5]]"
        return Place(" ".join(sorted(beside)), "several [[…]] on one line")
    group = last.lastindex or 0
    return Place(last[group].strip(), last[0], last.span(group), last.start())


def _supposed(text: str, begin: int) -> bool:
    return _SUPPOSED.search(text, max(0, begin - 200), begin) is not None


def as_option(scale: Scale, place: Place) -> Place:
    """What the marks of comparing prompts mean for options A, B and a tie: [[C]] is the tie, and
    [[A>>B]] is A."""
    if not isinstance(scale, Category) or not isinstance(place.raw, str):
        return place
    options = names_among(scale.options)
    if folded(place.raw) in options or not {"a", "b"} <= options.keys():
        return place
    third = third_for_tie(scale, place.raw)
    if third:
        return place._replace(raw=third)
    compared = _COMPARED.fullmatch(place.raw)
    if not compared or folded(compared[1]) == folded(compared[3]):
        return place
    sign = compared[2]
    if sign[0] in "<>":
        return place._replace(raw=options[folded(compared[1] if sign[0] == ">" else compared[3])])
    tie = tie_among(scale)
    return place._replace(raw=tie) if tie else place
