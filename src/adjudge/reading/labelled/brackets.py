"""Verdicts in double brackets, as many prompts ask for: [[4]], [[Rating: 4]], [[A]], [[A>>B]]."""

from __future__ import annotations

import re
from collections import deque

from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Scale, folded

from ..readings import ScorePlace
from ..vocabulary import is_given, option_names, third_for_tie, tie_option

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
# More than these on one line are a list, however many there are.
_MOST_ON_A_LINE = 50


def bracketed(text: str) -> ScorePlace | None:
    """The content of the last [[…]], without a label inside it: [[Rating: 7]] → "7"."""
    pattern = _BRACKETS if "[[" in text else _BOXED
    last_ones = deque(pattern.finditer(text), maxlen=_MOST_ON_A_LINE)
    matches = [match for match in last_ones if is_given(text, *match.span())]
    if not matches:
        return None
    last = matches[-1]
    line = text.rfind("\n", 0, last.start())
    beside = {match[0] for match in matches if match.start() > line}
    if len(beside) > 1:  # "[[A]] or [[B]]", "[[3]], [[5]]"
        return ScorePlace(" ".join(sorted(beside)), Reason("at.several_brackets"))
    group = last.lastindex or 0
    where = Reason("at.brackets", text=last[0])
    raw = last[group].strip()
    return ScorePlace(raw, where, last.span(group), last.start(), form="brackets")


def as_option(scale: Scale, place: ScorePlace) -> ScorePlace:
    """What the marks of comparing prompts mean for options A, B and a tie: [[C]] is the tie, and
    [[A>>B]] is A."""
    if not isinstance(scale, Category) or not isinstance(place.raw, str):
        return place
    options = option_names(scale.options)
    if folded(place.raw) in options or not {"a", "b"} <= options.keys():
        return place
    if third := third_for_tie(scale, place.raw):
        return place._replace(raw=third)
    compared = _COMPARED.fullmatch(place.raw)
    if not compared or folded(compared[1]) == folded(compared[3]):
        return place
    sign = compared[2]
    if sign[0] in "<>":
        return place._replace(raw=options[folded(compared[1] if sign[0] == ">" else compared[3])])
    tie = tie_option(scale)
    return place._replace(raw=tie) if tie else place
