"""Finds the JSON object of a reply, and the parts of a verdict in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion
from adjudge.core.scale import NotAValue, as_truth

from .place import Span
from .words import EXPLANATION, FLAGS, SCORE, TEXTS_BY_CRITERION, names_of, normal
from .written import value_of

Object = dict[str, Any]


def find_object(text: str, *, repair: bool) -> Object | None:
    """The last JSON object that stands in the text; with `repair` also a slightly broken one.

    The last, since models that correct themselves do so at the end.
    """
    try:
        whole = orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    else:
        return _as_object(whole)
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        return None
    for begin in _last_top_level(text):
        try:
            return _as_object(orjson.loads(text[begin : end + 1]))
        except orjson.JSONDecodeError:
            continue
    return _repaired(text[start : end + 1] if end > start else text[start:]) if repair else None


def _as_object(value: object) -> Object | None:
    """An object as it is; a list of one object as that object."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None


def _last_top_level(text: str) -> Iterator[int]:
    """Where an object may begin: at the beginnings of lines or after a fence, last first.

    A handful is enough and keeps reading linear in the length of the text.
    """
    starts = [found.end() - 1 for found in re.finditer(r"(?:^|\n|```\w*\s*)[ \t]*\{", text)]
    first = text.find("{")
    yield from list(dict.fromkeys([*reversed(starts[-8:]), first]))


# No reply has so many; mending takes time that grows with their square.
_MOST_BRACES = 500


def _repaired(text: str) -> Object | None:
    import json_repair  # noqa: PLC0415 - slow to import and seldom needed

    if text.count("{") > _MOST_BRACES:
        return None
    try:
        value = json_repair.loads(text)
    except (ValueError, RecursionError):  # nested beyond all reason
        return None
    return _as_object(_whole_characters(value))


def _whole_characters(value: Any) -> Any:
    """Without halves of surrogate pairs, which are no characters and cannot be stored."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, list):
        return [_whole_characters(entry) for entry in value]
    if isinstance(value, dict):
        return {_whole_characters(k): _whole_characters(v) for k, v in value.items()}
    return value


def span_of(text: str, path: tuple[str, ...], raw: object) -> Span | None:
    """Where in the text the value of these keys stands; None when it cannot be told for sure."""
    at = 0
    for key in path:
        found = re.compile(rf"""["']{re.escape(key)}["']\s*:\s*""").search(text, at)
        if not found:
            return None
        at = found.end()
    value = _TOKEN.match(text, at)
    if not value:
        return None
    shown = value[0].strip("\"'")
    return value.span() if shown == (raw if isinstance(raw, str) else _shown(raw)) else None


_TOKEN = re.compile(r"""\"(?:[^"\\\n]|\\.)*\"|'[^'\n]*'|[^\s,}\]]+""")


def _shown(raw: object) -> str:
    """A JSON value as it is written; numbers in their commonest form."""
    if isinstance(raw, bool) or raw is None:
        return {True: "true", False: "false", None: "null"}[raw]
    return str(raw)


def score_of(
    obj: Object, criterion: Criterion, names: frozenset[str], *, alone: bool
) -> tuple[object, tuple[str, ...]] | None:
    """What stands in the criterion's place, and that place; None when it has none.

    Its place is the key with its name or title, directly or inside an object that groups scores;
    when the criterion was asked alone, also a key such as "score".
    """
    names |= {f"{name}_{word}" for name in names for word in ("score", "rating", "점수", "điểm")}
    for path, key, value in _walk(obj):
        if normal(key) in names and not _in_texts(path):
            inner = _inner_score(value)
            if inner is None and isinstance(value, str) and not _reads(criterion, value):
                continue  # a text under the criterion's name is its explanation
            if inner is not None:
                return inner[1], (*path, key, inner[0])
            if not isinstance(value, dict | list):
                return value, (*path, key)
    return _generic_score(obj) if alone else None


def _generic_score(obj: Object) -> tuple[object, tuple[str, ...]] | None:
    for key, value in obj.items():
        if normal(key) in SCORE:
            inner = _inner_score(value)
            return (inner[1], (key, inner[0])) if inner else (value, (key,))
    return None


def _reads(criterion: Criterion, value: str) -> bool:
    try:
        value_of(criterion.scale, value)
    except NotAValue as error:
        return any(sign.isdigit() for sign in value[:4]) or type(error) is not NotAValue
    return True


def _inner_score(value: object) -> tuple[str, object] | None:
    if isinstance(value, dict):
        for key, inner in value.items():
            if normal(str(key)) in SCORE and not isinstance(inner, dict | list):
                return str(key), inner
    return None


def _in_texts(path: tuple[str, ...]) -> bool:
    return any(normal(part) in TEXTS_BY_CRITERION for part in path)


def _walk(obj: Object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """All keys, outer ones first, three levels deep; lists of named objects count as objects."""
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
            for key in ("criterion", "name", "aspect", "dimension", "metric"):
                if isinstance(entry.get(key), str):
                    out[entry[key]] = {k: v for k, v in entry.items() if k != key}
    return out


def explanation_of(
    obj: Object, criterion: Criterion, names: frozenset[str], position: int, count: int
) -> str | None:
    """The criterion's explanation: beside its score, under a name of its own, or among those of
    all criteria (by name, or by `position` when there are exactly `count` of them)."""
    return _named_explanation(obj, criterion, names) or _shared_explanation(obj, position, count)


def _named_explanation(obj: Object, criterion: Criterion, names: frozenset[str]) -> str | None:
    own_keys = {f"{name}_{word}" for name in names for word in EXPLANATION}
    for path, key, value in _walk(obj):
        text = None
        if normal(key) in own_keys:
            text = _text(value)
        elif normal(key) in names and isinstance(value, dict):
            text = _first_text(value)
        elif normal(key) in names and isinstance(value, str):
            text = value if _in_texts(path) or not _reads(criterion, value) else None
        if text:
            return text
    return None


def _shared_explanation(obj: Object, position: int, count: int) -> str | None:
    for key, value in obj.items():
        if normal(key) in EXPLANATION:
            entries = _entries(value)
            if len(entries) == count:
                return entries[position]
            if count == 1:
                return _text(value)
    return None


def _first_text(obj: Mapping[str, object]) -> str | None:
    return next((_text(v) for k, v in obj.items() if normal(str(k)) in EXPLANATION), None)


def _entries(value: object) -> list[str]:
    """Texts separated by blank lines, as the Vietnamese seed asks for, or a list of texts."""
    if isinstance(value, str):
        return [part.strip() for part in re.split(r"\n\s*\n", value) if part.strip()]
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list) and value and all(isinstance(entry, str) for entry in value):
        return "\n".join(value)
    return None


def flags_of(obj: Object, names: Sequence[str]) -> dict[str, bool]:
    """The flags that the object reports, wherever they stand."""
    wanted = {normal(name): name for name in names}
    found: dict[str, bool] = {}
    for path, key, value in _walk(obj):
        name = wanted.get(normal(key.rpartition(".")[2])) or wanted.get(normal(key))
        truth = as_truth(value)
        if name and truth is not None and not _in_texts(path):
            found.setdefault(name, truth)
        if normal(key) in FLAGS and isinstance(value, list):
            # A list of the flags that hold: what is not in it does not.
            held = {normal(str(entry)).rpartition(".")[2] for entry in value}
            found |= {name: norm in held for norm, name in wanted.items()}
    return found


def feedback_of(obj: Object, judge: Judge) -> dict[str, str | tuple[str, ...]]:
    """The sections that the judge asks for, each as a text or as a tuple of entries."""
    out: dict[str, str | tuple[str, ...]] = {}
    for section in judge.feedback.values():
        names = names_of(section.name, section.title)
        for _, key, value in _walk(obj):
            text = _text(value)
            if normal(key) in names and text:
                out[section.name] = text if not section.list else _listed(value, text)
                break
    return out


def _listed(value: object, text: str) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(entry).strip() for entry in value)
    return split_entries(text)


def split_entries(text: str) -> tuple[str, ...]:
    """The entries of a list written as text, without their bullets or numbers."""
    rows = [re.sub(r"^\s*(?:[-*•·]|\d+[.)])\s+", "", row).strip() for row in text.splitlines()]
    return tuple(row for row in rows if row)
