"""The keys of a JSON object, found by their names, and where in the reply their values stand."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from ..readings import Span
from ..vocabulary import normal
from .objects import JsonObject, Object

# Keys that name the criterion of an entry in a list.
NAMING = ("criterion", "name", "aspect", "dimension", "metric")


class KeyEntry(NamedTuple):
    """A key with its value, and the keys that lead to it."""

    order: int
    path: tuple[str, ...]
    key: str
    value: Any


class JsonKeys:
    """All keys, outer ones first, three levels deep; lists of named objects count as objects.

    Made once for an object, so that many criteria do not each walk through it.
    """

    def __init__(self, obj: Object) -> None:
        self._by_name: dict[str, list[KeyEntry]] = defaultdict(list)
        self._by_tail: dict[str, list[KeyEntry]] = defaultdict(list)
        for order, (path, key, value) in enumerate(_walk(obj)):
            entry = KeyEntry(order, path, key, value)
            self._by_name[normal(key)].append(entry)
            if "." in key:  # "accuracy.serious_error"
                self._by_tail[normal(key.rpartition(".")[2])].append(entry)

    def named(self, names: Set[str]) -> list[KeyEntry]:
        """The entries under any of these normal names, in the order of the object."""
        # An object has a handful of keys; a criterion may have hundreds of names.
        lists = [entries for name, entries in self._by_name.items() if name in names]
        if len(lists) == 1:
            return lists[0]
        return sorted((entry for some in lists for entry in some), key=lambda entry: entry.order)

    def ending_in(self, name: str) -> list[KeyEntry]:
        """The entries under this normal name, also behind a dot."""
        return sorted(
            [*self._by_name.get(name, ()), *self._by_tail.get(name, ())],
            key=lambda entry: entry.order,
        )


def _walk(obj: Object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    inner: list[tuple[str, Object]] = []
    for key, value in obj.items():
        yield path, str(key), value
        if isinstance(value, dict):
            inner.append((str(key), value))
        elif isinstance(value, list):
            inner.append((str(key), _named(value)))
    if len(path) < 2:
        for key, value in inner:
            yield from _walk(value, (*path, key))


def _named(entries: Sequence[object]) -> Object:
    """[{"criterion": "tone", "score": 7}] → {"tone": {…}}."""
    out: Object = {}
    for entry in entries:
        if isinstance(entry, dict):
            for key in NAMING:
                if isinstance(entry.get(key), str):
                    out[entry[key]] = {k: v for k, v in entry.items() if k != key}
    return out


_VALUE = re.compile(r"""\"(?:[^"\\\n]|\\.){0,300}\"|'[^'\n]{0,300}'|[^\s,}\]]{1,300}""")
_COLON = re.compile(r"\s{0,80}:\s{0,80}")
_PART = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|[{}\[\]:,]|[^\s{}\[\]:,\"]+", re.DOTALL)


def span_of(text: str, path: tuple[str, ...], raw: object, parsed: JsonObject) -> Span | None:
    """Where in the text the value of these keys stands; None when that is not certain."""
    here = _quick_span(text, path, parsed)
    if here is None:
        placed = [span for keys, span in _scalars(text, parsed) if keys == path]
        here = placed[-1] if placed else None  # of a key given twice the last value counts
    return here if here and _is_written_as(text[slice(*here)], raw) else None


def _quick_span(text: str, path: tuple[str, ...], parsed: JsonObject) -> Span | None:
    """The usual case, quickly: each key stands there once, the last one right behind the others."""
    begin, *outer = parsed.begin, *path[:-1]
    for name in outer:
        keys = list(_keys(text, name, begin, parsed))
        if len(keys) != 1:
            return None
        begin = keys[0][1]
    keys = list(islice(_keys(text, path[-1], begin, parsed), 2))
    if not keys or (len(keys) > 1 and not outer) or "{" in text[begin + 1 : keys[0][0]]:
        return None
    value = _VALUE.match(text, keys[0][1])
    return value.span() if value else None


def _keys(text: str, name: str, begin: int, parsed: JsonObject) -> Iterator[Span]:
    """Where a key of this name stands with its colon.

    In valid JSON nothing else has plain quotation marks and a colon: those of a text are escaped.
    """
    for mark in "\"'" if parsed.repaired else '"':
        key = f"{mark}{name}{mark}"
        at = text.find(key, begin, parsed.end)
        while at >= 0:
            colon = _COLON.match(text, at + len(key))
            if colon and text[at - 1] != "\\":
                yield at, colon.end()
            at = text.find(key, at + 1, parsed.end)


def _is_written_as(text: str, raw: object) -> bool:
    """Whether the text is the value as JSON writes it, or nearly so: 'good', True."""
    if text.strip("\"'") == str(raw):
        return True
    try:
        return bool(json.loads(text) == raw)
    except ValueError:
        return False


@dataclass(slots=True)
class _Level:
    """An object or a list that is gone through; `name` is the key that leads to it."""

    is_list: bool
    name: str | None
    key: str | None = None


@dataclass(slots=True)
class _Walk:
    levels: list[_Level] = field(default_factory=list)
    last: str | None = None


def _scalars(text: str, parsed: JsonObject) -> Iterator[tuple[tuple[str, ...], Span]]:
    """The keys that lead to each text, number or truth of the object, and where it stands.

    An entry of a list that names its criterion is led to by that name, as in `JsonKeys`; a list
    instead of the object is "scores", or the one object that it holds, as in `whole_object`.
    """
    walk = _Walk()
    waiting: list[tuple[tuple[_Level, ...], str, Span]] = []
    for part in _PART.finditer(text, parsed.begin, parsed.end):
        _step(walk, part, waiting)
    listed = [levels for levels, _, _ in waiting if levels[0].is_list and len(levels) > 1]
    several = len({id(levels[1]) for levels in listed}) > 1
    for levels, key, span in waiting:
        outer = levels[1:] if several or not levels[0].is_list else levels[2:]
        names = [level.name for level in outer if level.name is not None]
        yield (*(["scores"] if several else []), *names, key), span


def _step(
    walk: _Walk, part: re.Match[str], waiting: list[tuple[tuple[_Level, ...], str, Span]]
) -> None:
    sign, levels = part[0], walk.levels
    inner = levels[-1] if levels else None
    if sign in "{[":
        levels.append(_Level(sign == "[", inner.key if inner else None))
    elif sign in "}]":
        if levels:
            levels.pop()
    elif sign == ":" and inner:
        inner.key = walk.last
    elif sign == "," and inner:
        inner.key = None
    elif inner and inner.key is not None:
        waiting.append((tuple(levels), inner.key, part.span()))
        if inner.key in NAMING and len(levels) > 1 and levels[-2].is_list:
            inner.name = _bare(sign)
    walk.last = _bare(sign)


def _bare(sign: str) -> str:
    try:
        return str(json.loads(sign))
    except ValueError:
        return sign
