"""A verdict in a word that opens or closes a reply, and its reason beside it: "PASS - it greets the
customer", "No, because the year is wrong", "All of it is in the text. Faithful".

Such a word counts only where no other verdict is a clause of its own: "Yes, but actually no".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from adjudge.core.scale import Binary, Category, Value, as_truth, folded

from .vocabulary import one_of, option_names

_YES_OR_NO = (
    "yes", "no", "是的", "不是", "예", "네", "아니오", "아니요", "có", "không", "是", "否", "はい",
    "いいえ", "ja", "nein", "oui", "non", "sí", "sim", "não",
)  # fmt: skip
_TRUE_OR_FALSE = ("true", "false")
_RIGHT = frozenset(
    ["correct", "right", "richtig", "korrekt", "correcte", "correcta", "correcto", "correta",
     "correto", "정답", "正确", "正解", "đúng"]
)  # fmt: skip
_MARKS, _END_MARKS = r"[*_#\"“„'‘「(\[]{0,4}", r"[*_\"”“'’」)\]]{0,4}"
# What leads to a verdict that replaces, or concludes.
_LINKS = (
    r"(?:(?:but|and|so|then|oh|hmm|well|wait|actually|therefore|thus|hence|rather|instead|overall"
    r"|finally|in the end|it is|it['’]s|this is|(?:the|my) (?:\w+ )?(?:answer|verdict|label|grade)"
    r" is|i(?:['’]d| would)? say|aber|also|doch|daher|donc|mais|pero|mas|portanto|por (?:lo )?tanto"
    r"|nên|vậy|nhưng|do đó)[,:]?\s"
    r"|(?:따라서|그래서|하지만|所以|因此|但是?|よって|しかし)[,，、]?\s?){0,3}"
)
_BUT = (
    r"(?:\b(?:but|however|aber|doch|mais|pero|mas|nhưng)\b"
    r"|그러나|하지만|지만|但|不过|しかし|でも|ですが)"
)
_STOP = r"[,;:.!…—–\n)，。；：！、]"
# A form that was sent back: "PASS - if the requirement is met".
_CONDITION = r"(?!\W{0,3}(?:if|unless|si|wenn|falls|nếu)\b|\W{0,3}(?:如果|若|もし))"
# A reason follows; behind a comma it begins with one of these: "Good, clear words" is no verdict.
_REASON = (
    r"(?:because|since|as|given|the|it|its|this|these|they|there|that|which|both|all|no|not|none"
    r"|with|though|although|even|while|but|nothing|every\w*|weil|da|denn|aber|obwohl|es|die|der|das|car"
    r"|parce|mais|puisque|elle|il|la|le|les|porque|pero|ya|aunque|pues|el|los|pois|mas|embora|já|o|os"
    r"|vì|do|bởi|nhưng|tuy)\b"
)


class StatedVerdict(NamedTuple):
    """The word of a verdict and where it stands."""

    word: str
    begin: int
    end: int


def find_verdict(scale: Binary | Category, text: str) -> StatedVerdict | None:
    """The verdict that opens the text, or that is its last sentence; None where another one stands
    in it too."""
    for pattern in _patterns(scale)[:2]:
        match = pattern.search(text)
        if match and not (contradicts(scale, match["value"], text) or _names_others(match)):
            return StatedVerdict(match["value"], *match.span("value"))
    return None


def is_contested(scale: Binary | Category, text: str) -> bool:
    """Whether a verdict opens the text, and another one stands in it too."""
    match = _patterns(scale)[0].match(text)
    return match is not None and contradicts(scale, match["value"], text)


def begins_with_verdict(scale: Binary | Category, text: str) -> bool:
    """Whether more words follow a verdict, whatever they make of it: find_verdict tells that."""
    return _patterns(scale)[2].match(text) is not None


def _names_others(match: re.Match[str]) -> bool:
    """Whether a verdict is a letter and others of its kind stand in the text too, of which "A" may
    be an article; or it is called right and leads to what is: "Correct: Paris"."""
    value, text = match["value"], match.string
    if len(value) == 1:
        letters = set(re.findall(r"(?<![\w'’])[A-H](?![\w'’])", text))
        return bool(letters - {value, "A"})
    leads = text[match.end() - 1] in ":：" and folded(value) in _RIGHT
    return leads and not re.match(rf"\s?{_REASON}", text[match.end() :], re.IGNORECASE)


def contradicts(scale: Binary | Category, verdict: str, text: str) -> bool:
    """Whether the text has another verdict as a clause of its own."""
    own = _meaning(scale, verdict)
    return any(
        _meaning(scale, word) != own and not (_of_truth(word) and not _of_truth(verdict))
        for word in _clauses(scale, text)
    )


def _clauses(scale: Binary | Category, text: str) -> Iterator[str]:
    *_, clause = _patterns(scale)
    return (match["value"] for match in clause.finditer(text))


def _meaning(scale: Binary | Category, word: str) -> Value | bool | None:
    if isinstance(scale, Category):
        return option_names(scale.options).get(folded(word))
    return as_truth(word)


def _of_truth(word: str) -> bool:
    """Whether it is "true" or "false", with which a sentence may concede something."""
    return folded(word) in _TRUE_OR_FALSE


@lru_cache(maxsize=64)
def _patterns(scale: Binary | Category) -> tuple[re.Pattern[str], ...]:
    """What opens a text, what closes it, a verdict with words behind it, a clause that is one."""
    if isinstance(scale, Category):
        names = option_names(scale.options)
        signs = {name.upper() for name in names if len(name) == 1 and name.isalnum()}
        words = {*names, *scale.options} - {name for name in names if len(name) == 1}
        words -= {name for name in words if len(name) == 1}
        goes_on = rf"[,，、]\s?(?={_REASON})|(?<=[\u3040-\u30ff\u4e00-\u9fff가-힣])\s?[,，、]"
    else:
        signs, words = set(), {*_YES_OR_NO, *_TRUE_OR_FALSE}
        goes_on = r"[,，、]|\s(?=(?:it|the|this|they)\s)"
    value = rf"(?P<value>(?-i:{one_of(signs) or '(?!)'})|{one_of(words) or '(?!)'})"
    behind = (
        rf"(?:\s?(?:[;!。；！]|[:：](?=\s?[^\W\d])|\.(?!\s?\d))|{goes_on}|\s?[–—(（]|\s-\s"
        rf"|\s(?:because|since|weil|car)\b|\s*\n|(?<=[)\]])\s){_CONDITION}"
    )
    flags = re.IGNORECASE
    return (
        re.compile(rf"\A\s{{0,9}}{_MARKS}{value}{_END_MARKS}{behind}", flags),
        re.compile(
            rf"(?:[.!][\"”')\]]?\s{{1,3}}|[。！]\s?){_MARKS}{value}{_END_MARKS}[.!。]?\s*\Z", flags
        ),
        re.compile(
            rf"\s{{0,9}}{_MARKS}{value}{_END_MARKS}(?:\s?[(,;:.。，、：；–—]|\s-\s)\W*\w", flags
        ),
        re.compile(
            rf"(?:(?:\A|\?|{_STOP}|\s-\s|\b(?:so|therefore|thus|hence|actually|wait),?)\s{{0,3}}"
            rf"{_MARKS}{_LINKS}{_MARKS}|{_BUT}[^.!?。！？\n]{{0,40}}?(?<!\w)){value}{_END_MARKS}(?=\s?(?:{_STOP}|-\s|\Z))",
            flags,
        ),
    )
