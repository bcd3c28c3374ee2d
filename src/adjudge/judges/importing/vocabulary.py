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

# Verdicts in a word or two: options made of these need no other sign.
VERDICT_WORDS = frozenset(word for row in _DATA["verdicts"].values() for word in row) | (
    YES_WORDS | NO_WORDS
)
# Verdicts of which one is the other's denial, though no part of it.
OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _DATA["opposites"])


def words(*concepts: str) -> str:
    """A pattern for any word of these concepts in any language."""
    rows = [(code, _TABLE[concept][code]) for concept in concepts for code in LANGUAGES]
    spaced = "|".join(row for code, row in rows if code not in _WITHOUT_SPACES)
    joined = "|".join(row for code, row in rows if code in _WITHOUT_SPACES)
    return rf"(?:\b(?:{spaced})(?!\w)|{joined})"


def row(concept: str) -> str:
    """The words of a concept in all languages, as they stand in the names of keys."""
    return "|".join(plain(_TABLE[concept][code]) for code in LANGUAGES)


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
