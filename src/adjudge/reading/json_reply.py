"""The parts of a verdict in a JSON object."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion
from adjudge.core.scale import NotAValue, as_truth

from .entries import split_entries, without_fillers
from .json_find import JsonFound
from .json_keys import Entry, Keys
from .json_span import span_of
from .place import Place
from .words import EXPLANATION, FLAGS, SCORE, TEXTS_BY_CRITERION, names_of, normal
from .written import value_of

_OF_A_SCORE = frozenset({"score", "rating", "점수", "điểm"})


@lru_cache(maxsize=512)
def _joined(names: frozenset[str], words: frozenset[str]) -> frozenset[str]:
    """Each with each: tone and score → tone_score."""
    return frozenset(f"{name}_{word}" for name in names for word in words)


@lru_cache(maxsize=512)
def _and_joined(names: frozenset[str], words: frozenset[str]) -> frozenset[str]:
    return names | _joined(names, words)


def score_of(
    found: JsonFound,
    text: str,
    keys: Keys,
    criterion: Criterion,
    names: frozenset[str],
    *,
    alone: bool,
) -> Place | None:
    """What stands in the criterion's place; None when it has none.

    Its place is the key with its name or title, directly or inside an object that groups scores;
    when the criterion was asked alone, also a key such as "score".
    """
    for entry in keys.named(_and_joined(names, _OF_A_SCORE)):
        if _in_texts(entry.path):
            continue
        inner = _inner_score(entry.value)
        if inner is not None:
            return _place(found, text, (*entry.path, entry.key, inner[0]), inner[1])
        if isinstance(entry.value, str) and not _reads(criterion, entry.value):
            continue  # a text under the criterion's name is its explanation
        if not isinstance(entry.value, dict | list):
            return _place(found, text, (*entry.path, entry.key), entry.value)
    return _generic_score(found, text, keys, criterion) if alone else None


def _generic_score(found: JsonFound, text: str, keys: Keys, criterion: Criterion) -> Place | None:
    """Under "score", "rating" and their like. Two of them that say different things say nothing."""
    places = []
    for entry in keys.named(SCORE):
        if entry.path:
            continue
        inner = _inner_score(entry.value)
        path, raw = ((entry.key, inner[0]), inner[1]) if inner else ((entry.key,), entry.value)
        places.append((path, raw, _value_or_none(criterion, raw)))
    readable = [each for each in places if each[2] is not None]
    if len({value for *_, value in readable}) > 1:
        said = " and ".join(f"{path[-1]} {raw}" for path, raw, _ in readable)
        return Place(said, "JSON keys that contradict each other")
    chosen = next(iter(readable or places), None)
    return _place(found, text, chosen[0], chosen[1]) if chosen else None


def _value_or_none(criterion: Criterion, raw: object) -> object:
    try:
        return value_of(criterion.scale, raw)
    except NotAValue:
        return None


def _place(found: JsonFound, text: str, path: tuple[str, ...], raw: object) -> Place:
    return Place(raw, f"JSON key {'.'.join(path)}", span_of(text, path, raw, found))


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


def explanation_of(
    keys: Keys, criterion: Criterion, names: frozenset[str], position: int, count: int
) -> str | None:
    """The criterion's explanation: beside its score, under a name of its own, or among those of
    all criteria (by name, or by `position` when there are exactly `count` of them)."""
    return _named_explanation(keys, criterion, names) or _shared_explanation(keys, position, count)


def _named_explanation(keys: Keys, criterion: Criterion, names: frozenset[str]) -> str | None:
    own_keys = _joined(names, EXPLANATION)
    for entry in keys.named(_and_joined(names, EXPLANATION)):
        text = _own_text(entry, criterion, own_keys)
        if text:
            return text
    return None


def _own_text(entry: Entry, criterion: Criterion, own_keys: frozenset[str]) -> str | None:
    value = entry.value
    if normal(entry.key) in own_keys:
        return _text(value)
    if isinstance(value, dict):
        return _first_text(value)
    if isinstance(value, str) and (_in_texts(entry.path) or not _reads(criterion, value)):
        return value
    return None


def _shared_explanation(keys: Keys, position: int, count: int) -> str | None:
    for entry in keys.named(EXPLANATION):
        if entry.path:
            continue
        entries = _entries(entry.value)
        if len(entries) == count:
            return entries[position]
        if count == 1:
            return _text(entry.value)
    return None


def _first_text(obj: Mapping[str, object]) -> str | None:
    return next((_text(v) for k, v in obj.items() if normal(str(k)) in EXPLANATION), None)


_BLANK_LINE = re.compile(r"\n[^\S\n]*+\n")


def _entries(value: object) -> list[str]:
    """Texts separated by blank lines, as the Vietnamese seed asks for, or a list of texts."""
    if isinstance(value, str):
        return [part.strip() for part in _BLANK_LINE.split(value) if part.strip()]
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list) and value and all(isinstance(entry, str) for entry in value):
        return "\n".join(value)
    return None


def flags_of(keys: Keys, names: Sequence[str]) -> dict[str, bool]:
    """The flags that the object reports, wherever they stand."""
    wanted = {normal(name): name for name in names}
    found: dict[str, bool] = {}
    for norm, name in wanted.items():
        for entry in keys.ending_in(norm):
            truth = as_truth(entry.value)
            if truth is not None and not _in_texts(entry.path):
                found.setdefault(name, truth)
    for entry in keys.named(FLAGS):
        if isinstance(entry.value, list):
            # A list of the flags that hold: what is not in it does not.
            held = {normal(str(each)).rpartition(".")[2] for each in entry.value}
            found |= {name: norm in held for norm, name in wanted.items()}
    return found


def feedback_of(keys: Keys, judge: Judge) -> dict[str, str | tuple[str, ...]]:
    """The sections that the judge asks for, each as a text or as a tuple of entries."""
    out: dict[str, str | tuple[str, ...]] = {}
    for section in judge.feedback.values():
        names = names_of(section.name, section.title)
        for entry in keys.named(names):
            text = _text(entry.value)
            if text and section.list:
                if said := without_fillers(_listed(entry.value, text), names):
                    out[section.name] = said
                break
            if text:
                out[section.name] = text
                break
    return out


def _listed(value: object, text: str) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(entry).strip() for entry in value)
    return split_entries(text)
