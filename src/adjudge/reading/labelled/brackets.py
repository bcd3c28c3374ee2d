"""Verdicts in double brackets, as many prompts ask for: [[4]], [[Rating: 4]], [[A]], [[A>>B]]."""

from __future__ import annotations

import re
from collections import deque

from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Scale, folded

from ..readings import ScorePlace
from ..vocabulary import option_names, third_for_tie, tie_option

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
    r"|deserv|gett|reach|rais|mak)\w{1,6}|\b(?:to|could|might) (?:have )?(?:earn|achieve|reach|get"
    r"|receive|deserve)\w{0,3}\s|\b(?:if|had) (?:it|the|this|they)\b)[^.!?\n\[\]]{0,60}\Z",
    re.IGNORECASE,
)
# "出典が示されていれば[[10]]でした": what would have been is no verdict, also where no other stands
# there. A plain "if" may be the judge's own: "if I have to give a number: [[7]]".
_WOULD_HAVE_BEEN = re.compile(
    r"(?:\bif (?:it|the|this|they)\b[^.!?\n\[\]]{0,40}\b(?:had|were)\b|\bhad (?:it|the|this"
    r"|they)\b|\b(?:would|could|might) have (?:been|earned|received|scored|got|gotten|merited"
    r"|deserved)\b|\b(?:wäre|hätte)(?:n|st)?\b|\b(?:aurait|serait|eût|aurais|habría|hubiera"
    r"|hubiese|sería|tendría|teria|tivesse|seria|fosse)\b|\b(?:nếu|giá (?:như"
    r"|mà))\b[^.\n\[\]]{0,60}\b(?:đã|sẽ|lẽ ra|có thể)\b|(?:[었았였했됐렸쳤]다면|더라면)|(?:如果"
    r"|假如|若|要是|倘若)[^。\n\[\]]{0,40}(?:就会|会是|会得|本可|本应|则可|可得|便可|就能|可达))"
    r"[^.!?。！？\n\[\]]{0,60}\Z|本(?:可|应|来可)[^。\n\[\]]{0,12}\Z",
    re.IGNORECASE,
)
_WAS_SUPPOSED = re.compile(
    r"\]{2,3}\s?(?:点)?(?:でした|だった|になった|になっていた|となっていた|だったでしょう|に"
    r"(?:なる|できる)はず|がふさわしかった)"
)
_HAVING_BEEN = re.compile(r"(?:れば|たら|なら|場合)[^。\n\[\]]{0,30}\Z")
_BEEN = re.compile(
    r"\]{2,3}\s?(?:점|点|分)?\s?(?:(?:이)?었을|였을|을 받았을|점이었을|になっていた(?:でしょう"
    r"|だろう)|だったでしょう|だっただろう)"
)
# More than these on one line are a list, however many there are.
_MOST_ON_A_LINE = 50


def bracketed(text: str) -> ScorePlace | None:
    """The content of the last [[…]], without a label inside it: [[Rating: 7]] → "7"."""
    pattern = _BRACKETS if "[[" in text else _BOXED
    matches = deque(pattern.finditer(text), maxlen=_MOST_ON_A_LINE)
    if not matches:
        return None
    while len(matches) > 1 and _before(_SUPPOSED, text, matches[-1]):
        matches.pop()
    while matches and _would_have_been(text, matches[-1]):
        matches.pop()
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


def _before(pattern: re.Pattern[str], text: str, match: re.Match[str]) -> bool:
    return bool(pattern.search(text, max(0, match.start() - 200), match.start()))


def _would_have_been(text: str, match: re.Match[str]) -> bool:
    behind = text[match.end() - 2 : match.end() + 20]
    if _before(_WOULD_HAVE_BEEN, text, match) or _BEEN.match(behind):
        return True
    return _before(_HAVING_BEEN, text, match) and bool(_WAS_SUPPOSED.match(behind))


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
