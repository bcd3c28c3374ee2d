"""The parts of a verdict in a JSON object."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Binary, Category, NotAValue, OffScale, as_truth

from ..readings import ScorePlace, is_not_applicable, split_entries, without_fillers
from ..values import parse_value
from ..vocabulary import (
    EXPLANATION,
    FLAGS,
    GROUPS,
    NOT_A_SCORE,
    SCORE,
    TEXTS_BY_CRITERION,
    names_of,
    normal,
)
from .keys import JsonKeys, KeyEntry, span_of
from .objects import JsonObject

# Where a word is chosen these hold the choice; a number there would be another answer's.
_OF_A_CHOICE = frozenset({"answer", "final_answer", "label", "class", "category", "classification"})
_OF_A_SCORE = frozenset({"score", "rating", "점수", "điểm"})


@lru_cache(maxsize=512)
def _joined(names: frozenset[str], words: frozenset[str]) -> frozenset[str]:
    """Each with each: tone and score → tone_score."""
    return frozenset(f"{name}_{word}" for name in names for word in words)


@lru_cache(maxsize=512)
def _and_joined(names: frozenset[str], words: frozenset[str]) -> frozenset[str]:
    return names | _joined(names, words)


def json_score(
    parsed: JsonObject,
    text: str,
    keys: JsonKeys,
    criterion: Criterion,
    names: frozenset[str],
    *,
    alone: bool,
) -> ScorePlace | None:
    """What stands in the criterion's place; None when it has none.

    Its place is the key with its name or title, directly or inside an object that groups scores;
    when the criterion was asked alone, also a key such as "score".
    """
    places, own = [], _and_joined(names, _OF_A_SCORE)
    for entry in keys.named(own):
        if _in_texts(entry.path) or not NOT_A_SCORE.isdisjoint(map(normal, entry.path)):
            continue
        path, value = (*entry.path, entry.key), entry.value
        if criterion.may_not_apply and is_not_applicable(value):
            places.append((path, value))
        elif (inner := _inner_score(criterion, value)) is not None:
            places.append(((*path, inner[0]), inner[1]))
        elif isinstance(value, list):
            numbers = [part for part in value if _is_number(part)]
            if len(numbers) == 1:  # [4, "the reason"]
                places.append((path, numbers[0]))
        elif isinstance(value, str) and not _reads(criterion, value):
            continue  # a text under the criterion's name is its explanation
        elif not isinstance(value, dict):
            places.append((path, value))
    if places or not alone:
        return _agreed(parsed, text, criterion, _nearest(places, own))
    return _agreed(parsed, text, criterion, list(_generic_scores(criterion, keys)))


_Path = tuple[str, ...]


def _nearest(
    places: list[tuple[_Path, object]], names: frozenset[str]
) -> list[tuple[_Path, object]]:
    """Those that stand first of all, or else in a group of scores, or else all."""
    if len(places) < 2:
        return places
    outer = [place for place in places if normal(place[0][0]) in names]
    grouped = [place for place in places if any(normal(part) in GROUPS for part in place[0][:-1])]
    return outer or grouped or places


def _generic_scores(criterion: Criterion, keys: JsonKeys) -> Iterator[tuple[_Path, object]]:
    """Under "score", "rating" and their like."""
    names = SCORE | _OF_A_CHOICE if isinstance(criterion.scale, Binary | Category) else SCORE
    for entry in keys.named(names):
        if not entry.path:
            inner = _inner_score(criterion, entry.value)
            yield ((entry.key, inner[0]), inner[1]) if inner else ((entry.key,), entry.value)


def _agreed(
    parsed: JsonObject, text: str, criterion: Criterion, places: list[tuple[_Path, object]]
) -> ScorePlace | None:
    """The first place that can be read. Two that say different things say nothing."""
    if len(places) > 1:
        stated = [(place, _stated_value(criterion, place[1])) for place in places]
        stated = [pair for pair in stated if pair[1] is not None]
        if len({value for _, value in stated}) > 1:
            words = " and ".join(f"{'.'.join(path)} {raw}" for (path, raw), _ in stated)
            return ScorePlace(words, Reason("at.keys"))
        places = [place for place, _ in stated] or places
    return _place(parsed, text, *places[0]) if places else None


def _stated_value(criterion: Criterion, raw: object) -> object:
    """The value, also one off the scale; None where there is none."""
    try:
        return parse_value(criterion.scale, raw)
    except OffScale:
        return str(raw)
    except NotAValue:
        return None


def _place(parsed: JsonObject, text: str, path: tuple[str, ...], raw: object) -> ScorePlace:
    span = span_of(text, path, raw, parsed)
    start = text.rfind(path[-1], parsed.begin, span[0]) if span else -1
    where, begins = Reason("at.key", key=".".join(path)), start if start >= 0 else None
    return ScorePlace(raw, where, span, begins, form="json", key=path[-1])


def _reads(criterion: Criterion, value: str) -> bool:
    if criterion.may_not_apply and is_not_applicable(value):
        return True
    try:
        parse_value(criterion.scale, value)
    except NotAValue as error:
        return any(sign.isdigit() for sign in value[:4]) or type(error) is not NotAValue
    return True


# Before other words for a score, which may mean something else: points that can be reached.
_FIRST = frozenset({"score", "rating", "grade", "점수", "điểm"})


def _inner_score(criterion: Criterion, value: object) -> tuple[str, object] | None:
    """The score in an object about one criterion."""
    if not isinstance(value, dict):
        return None
    entries = [(str(key), inner) for key, inner in value.items()]
    keys = [(k, v) for k, v in entries if normal(k) in SCORE and not isinstance(v, dict | list)]
    if not keys:  # {"out_of": 5, "given": 4}
        keys = [(k, v) for k, v in entries if _is_number(v) and normal(k) not in NOT_A_SCORE]
        return keys[0] if len(keys) == 1 else None
    plain = [pair for pair in keys if normal(pair[0]) in _FIRST] or keys
    values = {_stated_value(criterion, inner) for _, inner in plain}
    if len(values) > 1:
        return "/".join(key for key, _ in plain), " and ".join(str(inner) for _, inner in plain)
    return plain[0]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _in_texts(path: tuple[str, ...]) -> bool:
    return any(normal(part) in TEXTS_BY_CRITERION for part in path)


def json_explanation(
    keys: JsonKeys, criterion: Criterion, names: frozenset[str], position: int, count: int
) -> str | None:
    """The criterion's explanation: beside its score, under a name of its own, or among those of
    all criteria (by name, or by `position` when there are exactly `count` of them)."""
    own_keys = _joined(names, EXPLANATION)
    for entry in keys.named(_and_joined(names, EXPLANATION)):
        if text := _own_text(entry, criterion, own_keys):
            return text
    return _shared_explanation(keys, position, count)


def _own_text(entry: KeyEntry, criterion: Criterion, own_keys: frozenset[str]) -> str | None:
    value = entry.value
    if normal(entry.key) in own_keys:
        return _text(value)
    if isinstance(value, dict):
        return next((_text(v) for k, v in value.items() if normal(str(k)) in EXPLANATION), None)
    if isinstance(value, str) and (_in_texts(entry.path) or not _reads(criterion, value)):
        return value
    return None


def _shared_explanation(keys: JsonKeys, position: int, count: int) -> str | None:
    for entry in keys.named(EXPLANATION):
        if entry.path:
            continue
        entries = _entries(entry.value)
        if len(entries) == count:
            return entries[position]
        if count == 1:
            return _text(entry.value)
    return None


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


def json_flags(keys: JsonKeys, names: Sequence[str]) -> dict[str, bool]:
    """The flags that the object reports, at any place."""
    wanted = {normal(name): name for name in names}
    flags: dict[str, bool] = {}
    for norm, name in wanted.items():
        for entry in keys.ending_in(norm):
            truth = as_truth(entry.value)
            if truth is not None and not _in_texts(entry.path):
                flags.setdefault(name, truth)
    for entry in keys.named(FLAGS):
        if isinstance(entry.value, list):
            # A list of the flags that hold: what is not in it does not.
            held = {normal(str(entry_name)).rpartition(".")[2] for entry_name in entry.value}
            flags |= {name: norm in held for norm, name in wanted.items()}
    return flags


def json_feedback(keys: JsonKeys, judge: Judge) -> dict[str, str | tuple[str, ...]]:
    """The sections that the judge asks for, each as a text or as a tuple of entries."""
    out: dict[str, str | tuple[str, ...]] = {}
    for section in judge.feedback.values():
        names = names_of(section.name, section.title)
        for entry in keys.named(names):
            if text := _text(entry.value):
                listed = _listed(entry.value, text) if section.list else ()
                if content := without_fillers(listed, names) if section.list else text:
                    out[section.name] = content
                break
    return out


def _listed(value: object, text: str) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(entry).strip() for entry in value)
    return split_entries(text)
