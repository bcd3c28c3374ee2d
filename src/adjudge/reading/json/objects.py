"""Finds the JSON objects of a reply, and repairs what is slightly broken.

Time stays linear in the length of the reply: only so many places are tried, only so much is read
again after a failure, and only short texts are repaired by guessing.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import orjson

Object = dict[str, Any]

# Where an object may begin. A brace in front of anything else is prose, or broken.
_BEGINS = re.compile(r"\{\s{0,200}+[\"}]")
_FENCE_BEFORE = re.compile(r"```\w{0,20}\s{0,80}\Z")
_END_OF_LINE = re.compile(r"[\s`.,;!)\]]{0,80}$", re.MULTILINE)
# No reply has more; of a text made to have them the first and the last are tried.
_FIRST_TRIED, _LAST_TRIED, _KEPT = 20, 80, 8
# Repairing by guessing takes time that grows with the square of these.
_MOST_TO_REPAIR, _MOST_BRACES, _MOST_QUOTES = 12_000, 500, 400
# A form sent back as it was, {"score": 0|1|2} or 0.X, or no decision: of such numbers the guess
# keeps one.
_ONE_OF_SEVERAL = re.compile(
    r"(\"(?:[^\"\\]|\\.)*+\")|(?P<colon>:\s{0,8})(?P<several><?[-+]?\d[\d.,]{0,8}\s{0,4}"
    r"(?:\||[~〜–]|(?:or|to|oder|bis|hoặc|đến|또는|혹은|或者?|または|か)(?![a-z]))"
    r"\s{0,4}\d[^\",}\]\n]{0,40}|\d{0,3}\.?[XxNn?_]{1,3}(?=\s{0,8}[,}\]\n]))",
    re.DOTALL | re.IGNORECASE,
)
_TRAILING_COMMA = re.compile(r"(\"(?:[^\"\\]|\\.)*+\")|,(?=\s{0,80}[}\]])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class JsonObject:
    """An object and where it stands."""

    obj: Object
    begin: int
    end: int
    repaired: bool = False


@dataclass(slots=True)
class _Scan:
    objects: deque[JsonObject] = field(default_factory=lambda: deque(maxlen=_KEPT))
    broken_at: int | None = None
    quotes: bool = False
    spent: int = 0


def find_objects(text: str, *, repair: bool) -> list[JsonObject]:
    """The JSON objects that stand in the text, the last one first: models that correct themselves
    do so at the end. With `repair` also a slightly broken one."""
    if "{" not in text:
        return []
    if whole := whole_object(text):
        return [whole]
    scan = _scan(text)
    objects = list(reversed(scan.objects))
    if scan.broken_at is None and (objects or scan.quotes):
        return objects
    if repair and (not objects or (scan.broken_at or 0) > objects[0].begin):
        begin = text.find("{") if scan.broken_at is None or not objects else scan.broken_at
        repaired = _repaired(text, begin)
        return [repaired, *objects] if repaired else objects
    return objects


def repeated_keys(text: str, parsed: JsonObject) -> tuple[str, ...]:
    """The keys that one object gives twice with different values; the last value is the one read.

    Asked only when a reading is shown: valid JSON is parsed faster without it.
    """
    twice: dict[str, None] = {}

    def pairs(entries: list[tuple[str, Any]]) -> Object:
        obj: Object = {}
        for key, value in entries:
            if key in obj and obj[key] != value:
                twice[key] = None
            obj[key] = value
        return obj

    decoder = json.JSONDecoder(strict=False, object_pairs_hook=pairs, parse_int=_integer)
    try:
        decoder.raw_decode(text, parsed.begin)
    except (ValueError, RecursionError):
        return ()
    return tuple(twice)


# A fence around all of it
_FENCED = re.compile(r"\s*+```\w{0,20}[ \t]*+\n?(?=\s*+[{\[])")


def whole_object(text: str) -> JsonObject | None:
    """The object that is the whole text, in a fence or not: the usual case."""
    begin, end = 0, len(text.rstrip())
    if opened := _FENCED.match(text):
        begin, end = opened.end(), end - 3 if text.endswith("```", 0, end) else end
    begin += len(text[begin:end]) - len(text[begin:end].lstrip())
    end = begin + len(text[begin:end].rstrip())
    if not text.startswith(("{", "["), begin) or text[end - 1] not in "}]":
        return None
    inside = text[begin:end]
    try:
        value = orjson.loads(inside)
    except orjson.JSONDecodeError:
        try:
            value, length = _DECODER.raw_decode(inside)
        except (ValueError, RecursionError):
            return None
        if length != len(inside):
            return None
        value = _whole_characters(value)
    obj = _as_object(value)
    return JsonObject(obj, begin, end) if obj else None


def _as_object(value: object) -> Object | None:
    """An object as it is; a list of one as that one; of several, under a name for all of them."""
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        value = value[0] if len(value) == 1 else {"scores": value}
    return value if isinstance(value, dict) else None


def _scan(text: str) -> _Scan:
    scan, at = _Scan(), 0
    for brace in _candidates(text):
        if brace < at or (scan.broken_at is not None and not _begins_a_line(text, brace)):
            continue  # inside an object, whole or broken
        if scan.spent > 3 * len(text):
            break
        begin = _list_around(text, brace)
        try:
            value, end = _DECODER.raw_decode(text, begin)
            obj = _as_object(_whole_characters(value))
        except (ValueError, RecursionError) as error:
            scan.spent += _cost(error, len(text), begin)
            scan.broken_at = begin
            continue
        at = end
        if obj and _stands_alone(text, begin, end):
            scan.objects.append(JsonObject(obj, begin, end))
        else:
            scan.quotes = True
    return scan


def _candidates(text: str) -> Iterator[int]:
    starts = (match.start() for match in _BEGINS.finditer(text))
    yield from islice(starts, _FIRST_TRIED)
    yield from deque(starts, maxlen=_LAST_TRIED)


def _begins_a_line(text: str, begin: int) -> bool:
    return (
        begin == 0
        or text[begin - 1] == "\n"
        or bool(_FENCE_BEFORE.search(text, max(0, begin - 120), begin))
    )


def _list_around(text: str, begin: int) -> int:
    """Where a list begins whose first entry begins here, else `begin`."""
    before = text[max(0, begin - 80) : begin].rstrip()
    if not before.endswith("[") or before.endswith("[["):
        return begin
    return text.rfind("[", 0, begin)


def _stands_alone(text: str, begin: int, end: int) -> bool:
    """Whether it begins or ends its line: one in the middle of a sentence is quoted there."""
    line = text.rfind("\n", 0, begin) + 1
    return not text[line:begin].strip() or bool(_END_OF_LINE.match(text, end))


def _cost(error: ValueError | RecursionError, length: int, begin: int) -> int:
    """How much of the text the failed attempt has read."""
    if isinstance(error, json.JSONDecodeError) and not error.msg.startswith("Unterminated"):
        return error.pos - begin
    return length - begin


def _integer(digits: str) -> float | int:
    """Longer ones lie on no scale, and Python does not convert the longest."""
    return int(digits) if len(digits) < 20 else float("inf")


# strict=False: models put line breaks into texts.
_DECODER = json.JSONDecoder(strict=False, parse_int=_integer)


def _repaired(text: str, begin: int) -> JsonObject | None:
    end = text.rfind("}") + 1
    if end <= begin:
        end = len(text)
    part = text[begin:end]
    try:
        plain = _TRAILING_COMMA.sub(lambda match: match[1] or "", part)
        value = _whole_characters(_DECODER.raw_decode(plain)[0])
    except (ValueError, RecursionError):
        value = _guessed(part)
    if isinstance(value, list):  # several objects with something between them
        value = next((entry for entry in reversed(value) if isinstance(entry, dict)), None)
    obj = _as_object(value)
    return JsonObject(obj, begin, end, repaired=True) if obj else None


def _in_quotes(match: re.Match[str]) -> str:
    return match[1] or f'{match["colon"]}"{match["several"]}"'


def _guessed(text: str) -> object:
    import json_repair  # noqa: PLC0415 - slow to import and rarely needed

    quotes = text.count('"') + text.count("'")
    if len(text) > _MOST_TO_REPAIR or text.count("{") > _MOST_BRACES or quotes > _MOST_QUOTES:
        return None
    try:
        whole = _ONE_OF_SEVERAL.sub(_in_quotes, text)
        return _whole_characters(json_repair.loads(whole))
    except (ValueError, RecursionError):  # nested beyond all reason
        return None


def _whole_characters(value: Any) -> Any:
    """Without halves of surrogate pairs, which are no characters and cannot be stored."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode(errors="replace").decode()
    if isinstance(value, list):
        return [_whole_characters(entry) for entry in value]
    if isinstance(value, dict):
        return {_whole_characters(k): _whole_characters(v) for k, v in value.items()}
    return value
