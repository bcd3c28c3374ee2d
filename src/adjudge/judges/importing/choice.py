"""A choice between a few answers: its options, and how plainly words make them the judge's.

What the options are, the words before them and how they are written is weighed in one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.core.scale import NO_WORDS, YES_WORDS

from .vocabulary import VERDICT_WORDS, row
from .vocabulary import words as of
from .words import REASONS, Names

OPEN, CLOSE = r"(?:[\"'“‘„‚「『`]{1,2}|«\s?)", r"(?:[\"'”’“‘」』`]{1,2}|\s?»)"
OR = rf"(?:[,，、;；]?\s*{of('or', 'and')}|[/|,，、;；]|(?<=[」』”])(?=[「『“]))"
OPTION = (
    r"(?:[nN]/[aA]\b|(?:[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f? ?)?[^\W_][\w +<>=()-]{0,24})"
)
SPLIT = re.compile(
    rf"\s{{0,3}}(?:\||(?<![nN])/|/(?![aA]\b)|[,，、]\s*(?:{of('or')})?|{of('or')})\s{{0,3}}",
    re.IGNORECASE,
)
TIE = re.compile(of("tie"), re.IGNORECASE)
SIDE = re.compile(
    r"(?:the )?(?:output|response|answer|assistant|model|option|candidate|text|summary"
    r"|respuesta|resposta|réponse|antwort"
    r"|câu trả lời|답변|응답|回答|助手|アシスタント)\s?\(?[a-z0-9]\)?",
    re.IGNORECASE,
)
# Words that make of a list a choice to be made, and those that leave nothing else.
CUE = re.compile(of("answer", "verdict", "one of"), re.IGNORECASE)
_STRONG_CUE = re.compile(
    rf"(?:{of('only', 'one of')}|\beither\b)[^\n]{{0,60}}$|[:：]\W{{0,6}}$", re.IGNORECASE
)
# 중 하나, のいずれか, 之一: right behind the options.
ONE_OF_THESE = (
    r"\s?(?:중(?:에서)?\s?(?:하나|한)|の(?:うち|中)?(?:から)?(?:の?いずれか|の?どれか|の?一つ|の?1つ)"
    r"|(?:中的?|之中的?)?(?:之一|其中一[个個项項]|一[个個项項]))"
)
_STRONG_BEHIND = re.compile(ONE_OF_THESE)
_EXAMPLE = re.compile(rf"{of('example')}[^.\n]{{0,60}}$", re.IGNORECASE)
_FORBIDDEN = re.compile(rf"{of('never')}[^.。?？!\n]{{0,24}}$", re.IGNORECASE)
_LETTER = re.compile(
    r"letter|알파벳|字母|chữ cái|buchstabe|lettre|letra|記号|アルファベット", re.IGNORECASE
)
# What stands there are the keys of the reply, or the entries of a list in its sample.
_NAMES_KEYS = re.compile(
    rf"{of('key')}[^\n.:：]{{0,24}}[:：]?\s?$|(?<!enum)\"\s?:\s?\[\s?$", re.IGNORECASE
)
_NOT_APPLICABLE = re.compile(r"n/a", re.IGNORECASE)
# What stands for a value, and is none: <comma-separated list, or "none">.
_DESCRIBES = re.compile(
    r"(?:.*[\s-])?(?:list|liste|lista|array)|.*(?:목록|列表|リスト|danh sách).*", re.IGNORECASE
)
# Words for a score and for its reasons, in the place of both: "점수 / 이유".
NO_OPTIONS = Names(rf"(?:{row('rating')})|number|letter|label|option|value|your|choice") | REASONS
_AMOUNT = re.compile(rf"\d{{1,3}}(?:[.,]\d+)?(?:\s?{of('point')})?", re.IGNORECASE)
_NUMBERED = ({"0", "1"}, {"1", "2"}, {"1", "2", "tie"})
_MOST_OPTIONS = 8
# Places of one form that are looked at; where there are more they are data.
MOST = 300
# From here on a list is taken for a choice.
ENOUGH = 3
SURE = 6


@dataclass(frozen=True, slots=True)
class ChoiceFound:
    """A choice as a judge file writes it, where it stands, and how heavy it weighs."""

    scale: dict[str, Any]
    at: int
    weight: int
    rivals: tuple[str, ...] = ()

    @property
    def options(self) -> frozenset[str]:
        return frozenset(one.casefold() for one in self.scale.get("options", ("yes", "no")))

    @property
    def words(self) -> str:
        return as_words(self.scale["options"]) if "options" in self.scale else "yes / no"


def as_words(options: Iterable[object]) -> str:
    """Options as a rival is told, whatever their order."""
    return " / ".join(sorted(str(one).casefold() for one in options))


def weight_of(text: str, start: int, end: int, words: Sequence[str]) -> int:
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - 90) : start]
    if not before.strip(" \t-*•#") and line:  # the line above leads to a list on its own line
        before = text[text.rfind("\n", 0, line - 1) + 1 : start][-90:]
    behind = text[end : end + 40].partition("\n")[0]
    if _EXAMPLE.search(before) or _FORBIDDEN.search(before) or _NAMES_KEYS.search(before):
        return 0
    known = sum(word.casefold() in VERDICT_WORDS or bool(SIDE.fullmatch(word)) for word in words)
    weight = 3 if known == len(words) else 2 if known * 2 >= len(words) else 0
    weight += 2 if CUE.search(before) else 1 if CUE.search(behind) else 0
    weight += 2 if _LETTER.search(before) and all(len(word) == 1 for word in words) else 0
    weight += 3 if _STRONG_BEHIND.match(text, end) else 0
    return weight + (2 if _STRONG_CUE.search(before) else 0)


def options_in(listed: str) -> list[str]:
    quoted = re.findall(rf"{OPEN}(?:[^\W\d_][\w ]{{1,24}}[:：] ?)?({OPTION}){CLOSE}", listed)
    words = quoted or [word for word in SPLIT.split(listed) if word]
    if not quoted and len(words) < 2 and not _NOT_APPLICABLE.fullmatch(listed.strip()):
        words = re.split(r"\W{1,5}", listed)
    words = [bare(word) for word in words]
    if all(SIDE.fullmatch(word) for word in words):
        # Output (a) and Output (b) are told apart by their letters; numbers would say too little.
        letters = [re.sub(r"[()]", "", word)[-1] for word in words]
        return letters if "".join(letters).isalpha() else words
    return words


def bare(option: str) -> str:
    """An option without the picture before it: "✅ Approved"."""
    return re.sub(r"^[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\s]+", "", option).strip()


def category(words: Sequence[str]) -> dict[str, Any] | None:
    """Two to eight options that differ by more than case; a yes and a no are no options."""
    options = [one for one in dict.fromkeys(words) if one not in {"하나", "하나만", "하나로"}]
    distinct = {option.casefold() for option in options}
    if not 2 <= len(options) <= _MOST_OPTIONS or len(distinct) < len(options) or "" in distinct:
        return None
    if any(_DESCRIBES.fullmatch(option) or option in NO_OPTIONS for option in options):
        return None
    if distinct not in _NUMBERED and any(_AMOUNT.fullmatch(option) for option in options):
        return None  # "0 or 2 points" are numbers, and no names
    if (
        len(options) == 2
        and distinct & YES_WORDS
        and distinct & NO_WORDS
        and not _is_right_or_wrong(distinct)
    ):
        return {"type": "binary"}
    return {"type": "category", "options": options}


def _is_right_or_wrong(words: set[str]) -> bool:
    """đúng and sai are the options of a category: they say more than yes and no."""
    return bool(words & {"đúng", "sai", "참", "거짓"})
