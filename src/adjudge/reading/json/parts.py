"""What a JSON object says about the parts of a score: answers by number, claims, errors, quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.core.rubric import Criterion
from adjudge.core.score import Quotation

from ..parts import read_checklist_answers, read_listed
from ..readings import CriterionReading
from ..vocabulary import ANSWERS, CLAIMS, ERRORS, QUOTES, normal
from .keys import JsonKeys

_NUMBER = re.compile(r"[^\d]{0,20}(\d{1,4})")
MOST_QUOTES = 50


def json_parts(
    keys: JsonKeys,
    criterion: Criterion,
    names: frozenset[str],
    explanation: str | None,
    *,
    alone: bool,
) -> CriterionReading:
    """The score that the parts come to."""
    wanted = CLAIMS if criterion.claims is not None else ERRORS if criterion.errors else ANSWERS
    entries = next(_entries(keys, names, wanted, alone=alone), None)
    if criterion.lists:
        listed = entries if isinstance(entries, list) else None
        return read_listed(criterion, listed, explanation)
    return read_checklist_answers(criterion, _by_number(entries), explanation)


def _entries(
    keys: JsonKeys, names: frozenset[str], wanted: frozenset[str], *, alone: bool
) -> Iterator[Any]:
    """What stands under the criterion's name, or inside of that under a name for such parts."""
    for entry in keys.named(names):
        if isinstance(entry.value, Mapping):
            inner = (value for key, value in entry.value.items() if normal(str(key)) in wanted)
            yield next(inner, entry.value)
        elif isinstance(entry.value, list):
            yield entry.value
    for entry in keys.named(wanted) if alone else ():
        if not entry.path:
            yield entry.value


def _by_number(entries: Any) -> dict[int, object]:
    """{"1": true, "q2": false}, [true, false] or [{"number": 2, "answer": true}]."""
    if isinstance(entries, list):
        return dict(enumerate(entries, 1))
    if not isinstance(entries, Mapping):
        return {}
    numbered = ((_NUMBER.fullmatch(str(key)), value) for key, value in entries.items())
    return {int(match[1]): value for match, value in numbered if match}


def json_quotes(keys: JsonKeys, names: frozenset[str], *, alone: bool) -> tuple[Quotation, ...]:
    """The quotations that stand beside the score."""
    for entry in keys.named(QUOTES):
        if entry.path and normal(entry.path[-1]) not in names:
            continue
        if not entry.path and not alone:
            continue
        value = entry.value if isinstance(entry.value, list) else [entry.value]
        texts = [_quote(quote) for quote in value]
        return tuple(Quotation(text) for text in texts if text)[:MOST_QUOTES]
    return ()


def _quote(entry: object) -> str:
    """A quotation may come as a text, or as an object that holds it: {"quote": …}."""
    if isinstance(entry, Mapping):
        entry = next((v for k, v in entry.items() if normal(str(k)) in QUOTES), "")
    return entry.strip() if isinstance(entry, str) else ""
