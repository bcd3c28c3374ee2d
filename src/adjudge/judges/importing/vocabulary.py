"""The words by which prompts speak of scores, scales and verdicts, from vocabulary.yaml.

Every pattern of the neighbouring modules is built from that table, a row per language: a new word
or language is one entry there, and each form is understood in every language.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

import yaml

from adjudge.core.scale import NO_WORDS, YES_WORDS

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same in C, seven times as fast
_DATA: dict[str, Any] = _Loader(
    Path(__file__).with_suffix(".yaml").read_text("utf-8")
).get_single_data()
_TABLE: dict[str, dict[str, str]] = _DATA["words"]
LANGUAGES: tuple[str, ...] = tuple(_TABLE["point"])
_WITHOUT_SPACES = frozenset({"ko", "zh", "ja"})
# Letters before this one are Latin, with or without marks.
_BEHIND_LATIN = "\u1f00"

# Chinese is written in two scripts; the table has the simplified one.
_SIMPLIFIED = (
    "评数输选择结论断类标签级别错误对过优较满质总综终给写个条项仅须准确关无没实际题问复译内码记录据证档资"
    "历参规则设维点说释语议馈赢胜负属导间从为与于举时当样减计该种归构键详细绝达问应术单双"
)
_TRADITIONAL = (
    "評數輸選擇結論斷類標籤級別錯誤對過優較滿質總綜終給寫個條項僅須準確關無沒實際題問覆譯內碼記錄據證檔資"
    "歷參規則設維點說釋語議饋贏勝負屬導間從為與於舉時當樣減計該種歸構鍵詳細絕達問應術單雙"
)
_TO_TRADITIONAL = str.maketrans(_SIMPLIFIED, _TRADITIONAL)

# Verdicts in a word or two: options made of these need no other sign.
VERDICT_WORDS = (
    frozenset(word for row in _DATA["verdicts"].values() for word in row)
    | frozenset(word.translate(_TO_TRADITIONAL) for word in _DATA["verdicts"]["zh"])
    | (YES_WORDS | NO_WORDS)
)
# Verdicts of which one is the other's denial, though no part of it.
OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _DATA["opposites"])


def both_scripts(pattern: str) -> str:
    """An alternation of Chinese words in simplified and in traditional letters."""
    traditional = pattern.translate(_TO_TRADITIONAL)
    return pattern if traditional == pattern else f"{pattern}|{traditional}"


def words(*concepts: str) -> str:
    """A pattern for any word of these concepts in any language."""
    rows = [(code, _row(concept, code)) for concept in concepts for code in LANGUAGES]
    spaced = "|".join(row for code, row in rows if code not in _WITHOUT_SPACES)
    joined = "|".join(row for code, row in rows if code in _WITHOUT_SPACES)
    return rf"(?:\b(?:{spaced})(?!\w)|{joined})"


def _row(concept: str, code: str) -> str:
    row = _TABLE[concept][code]
    return both_scripts(row) if code == "zh" else row


def row(concept: str) -> str:
    """The words of a concept in all languages, as they stand in the names of keys."""
    return "|".join(plain(_row(concept, code)) for code in LANGUAGES)


def verdict_names() -> str:
    """Verdicts of more than a letter or two, as they stand in the names of keys."""
    names = {plain(word) for word in VERDICT_WORDS if len(word) > 3}
    return "|".join(sorted(re.escape(name).replace(r"\ ", " ") for name in names))


def plain(text: str) -> str:
    """Without case and without the marks of Latin letters: "Điểm số" → "diem so"."""
    folded = unicodedata.normalize("NFC", text).casefold().replace("đ", "d")
    return "".join(_bare(sign) if sign < _BEHIND_LATIN else sign for sign in folded)


def _bare(sign: str) -> str:
    parts = unicodedata.normalize("NFKD", sign)
    return "".join(part for part in parts if not unicodedata.combining(part))
