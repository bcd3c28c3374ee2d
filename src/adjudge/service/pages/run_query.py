"""The question that a run page's address asks: all of it stands in the URL, so it can be shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite, nan
from typing import Any, cast
from urllib.parse import urlencode

from adjudge.analysis.browsing.query import Query, Sort
from adjudge.errors import UsageError

# By the names that the fields of a query have.
_TEXTS = ("search", "judge", "model", "criterion", "value", "outcome", "rule")
_NUMBERS = ("low", "high", "disagreement")
_COUNTS = ("page", "size")
_SCORES = ("low", "high", "value")  # on the scale of the criterion


def query_of(params: Mapping[str, str]) -> Query:
    """UsageError names a number that is none; unknown names are told by the index.

    `scores_of` is the criterion that a form had its fields of scores for: where another one was
    chosen in it, they are left aside.
    """
    if params.get("scores_of", params.get("criterion", "")) != params.get("criterion", ""):
        params = _without_scores(params)
    fields: dict[str, Any] = {name: params[name] for name in _TEXTS if params.get(name)}
    for name in _NUMBERS:
        if params.get(name, "").strip():
            fields[name] = _number(name, params[name])
    for name in _COUNTS:
        if params.get(name):
            fields[name] = _whole(name, params[name])
    if params.get("sort"):
        fields["sort"] = cast(Sort, params["sort"])
    return Query(**fields, down=params.get("down") == "1")


def address(query: Query, **changes: Any) -> str:
    """The parameters that ask the changed query; on its first page, unless another is named.

    The scores asked for are those of a criterion: another one begins without.
    """
    other = changes.get("criterion", query.criterion) != query.criterion
    left: dict[str, Any] = dict.fromkeys(_SCORES) if other else {}
    asked = replace(query, **left | {"page": 1} | changes)
    usual = Query()
    params: dict[str, object] = {}
    for name in (*_TEXTS, *_NUMBERS, *_COUNTS, "sort"):
        given = getattr(asked, name)
        if given != getattr(usual, name):
            params[name] = f"{given:g}" if isinstance(given, float) else given
    if asked.down:
        params["down"] = 1
    return urlencode(params)


def _without_scores(params: Mapping[str, str]) -> Mapping[str, str]:
    """Nor sorted by them, where all criteria were chosen: there is no score to sort by."""
    left = {name: text for name, text in params.items() if name not in _SCORES}
    if left.get("sort") == "score" and not left.get("criterion"):
        return {name: text for name, text in left.items() if name not in ("sort", "down")}
    return left


def _number(name: str, text: str) -> float:
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        number = nan
    if not isfinite(number):
        raise UsageError(f"{name}={text}: write a number, e.g. 3.5.")
    return number


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"{name}={text}: write a whole number, e.g. 2.")
    return int(text)
