"""The sample of a JSON reply in a prompt: its keys, and the kind of value that each stands for.

Samples are seldom valid JSON (`"tone": [float, how it sounds],`), so only keys, quotes and braces
are read, and the kind of a value from the words in its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .choices import SURE, find_choices
from .naming import slug
from .scales import COUNTED
from .words import EXPLANATIONS, SCORES

Kind = Literal["number", "integer", "truth", "text", "list", "group"]

# The words that stand in a value's place, the surest first.
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("truth", re.compile(r"(?:bool|boolean|true|false)\b")),
    (
        "text",
        re.compile(r"(?:str|string|text|chuỗi|cadena|texto|texte|chaîne)\b|문자열|字符串|文字列"),
    ),
    (
        "number",
        re.compile(
            r"(?:float|double|decimal|số thực|dezimal|kommazahl)\b|실수|小数|-?\d+\.\d+(?!\w)"
        ),
    ),
    (
        "integer",
        re.compile(
            r"(?:one of|một trong các mức)\s\d|(?:int|integer|number|numeric|score|rating|số|điểm"
            r"|entero|entier|inteiro|ganzzahl|zahl|nombre|número|numero|punkte|puntos|pontos|note"
            r"|nota)\b|정수|숫자|점수|整数|数字|数値|数值|分数|打分|评分|得分|点数"
            r"|-?\d+(?=$|\s?(?:[-–~〜～/|,]|to\b|đến\b|bis\b|à\b|a\b|or\b|에서|부터|점|分|点|到"
            r"|至|から)|\s?[)\]>(（])"
        ),
    ),
)
_BARE = re.compile(r"[^\W\d_]{1,12}|_{1,4}|\?|<[^<>\n|/]{1,30}>")
_NUMBERS = re.compile(r"-?\d+(?:[.,]\d+)?(?:\s?(?:-|–|~|to|a|à|bis|đến)\s?\d+)?")
# Keys in single quotes are those of Python; in a text they would be apostrophes.
_TOKEN = re.compile(
    r""""(?P<key>(?:[^"\\\n]|\\.)*)"(?P<colon>\s*:)?|'(?P<single>[^'\n]{1,40})'\s*:|[{}]"""
)


@dataclass(frozen=True, slots=True)
class SampleField:
    """A key at the top of the sample, or one level below it (`within` names its group)."""

    key: str
    kind: Kind
    value: str
    at: int
    within: str = ""

    @property
    def scored(self) -> bool:
        return self.kind in {"number", "integer"}

    @property
    def tells(self) -> bool:
        """Whether it holds a verdict rather than words."""
        return self.scored or self.kind == "truth"


def find_sample(text: str) -> list[SampleField]:
    """The fields of the last sample that holds a key; empty when the prompt shows none."""
    best: list[SampleField] = []
    for start, end in _blocks(text):
        fields = _fields(text, start, end)
        known = any(_holds_verdict(field) or slug(field.key) in EXPLANATIONS for field in fields)
        best = fields if known or not best else best
    return best if any(_holds_verdict(field) for field in best) else []


def _holds_verdict(field: SampleField) -> bool:
    if field.tells or slug(field.key) in SCORES:
        return True
    choice = find_choices(field.value, labelled=True) if field.kind == "text" else None
    return choice is not None and choice.weight >= SURE


def _blocks(text: str) -> list[tuple[int, int]]:
    """Where balanced braces begin and end; an unclosed one goes to the end of the text."""
    blocks, depth, start = [], 0, 0
    for brace in re.finditer(r"[{}]", text):
        if brace[0] == "{":
            start = brace.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                blocks.append((start, brace.end()))
    return blocks


def _fields(text: str, start: int, end: int) -> list[SampleField]:
    keys = _keys(text, start, end)
    fields = []
    for at, (key, key_at, value_at, depth, group) in enumerate(keys):
        last = keys[at + 1][1] if at + 1 < len(keys) else end - 1
        value = text[value_at:last].strip().rstrip(",}").strip()
        kind = "group" if value.startswith("{") else _kind(key, value)
        # {"evaluation": {"tone": {"score": 3}}}: the verdicts may lie one deeper.
        if depth <= 2 or (depth == 3 and slug(key) in SCORES):
            fields.append(SampleField(key, kind, value, key_at, group))
    return fields


def _keys(text: str, start: int, end: int) -> list[tuple[str, int, int, int, str]]:
    """Key, its offset, the offset of its value, its depth and the key that it stands below."""
    keys: list[tuple[str, int, int, int, str]] = []
    open_keys: list[str] = []
    for token in _TOKEN.finditer(text, start, end):
        if token[0] == "{":
            open_keys.append(keys[-1][0] if keys else "")
        elif token[0] == "}":
            del open_keys[-1:]
        elif token["colon"] or token["single"]:
            depth = len(open_keys)
            group = open_keys[-1] if depth > 1 else ""
            key = token["key"] or token["single"] or ""
            keys.append((key.strip(), token.start(), token.end(), depth, group))
    return keys


def _kind(key: str, value: str) -> Kind:
    words = value.strip("\"' ").strip("<>[](){} ").casefold()
    if slug(key) not in EXPLANATIONS and not COUNTED.match(_NUMBERS.sub("", words, count=1)):
        for kind, pattern in _KINDS:
            if pattern.match(words):
                return kind
    if value.startswith("["):
        return "list"
    if slug(key) in EXPLANATIONS:
        return "text"
    # A bare word in the place of a value stands for a number: a text would have its quotes.
    if _BARE.fullmatch(value):
        return "integer"
    return "integer" if slug(key) in SCORES and not find_choices(words, labelled=True) else "text"
