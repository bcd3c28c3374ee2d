"""The question that a run page's address asks: all of it stands in the URL, so it can be shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast
from urllib.parse import urlencode

from adjudge.analysis.browsing.query import Query, Sort
from adjudge.errors import UsageError

# By the names that the fields of a query have.
_TEXTS = ("search", "judge", "model", "criterion", "value", "outcome", "rule")
_NUMBERS = ("low", "high", "disagreement")
_COUNTS = ("page", "size")


def query_of(params: Mapping[str, str]) -> Query:
    """UsageError names a number that is none; unknown names are told by the index."""
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
    """The parameters that ask the changed query; on its first page, unless another is named."""
    asked = replace(query, **{"page": 1} | changes)
    usual = Query()
    params: dict[str, object] = {}
    for name in (*_TEXTS, *_NUMBERS, *_COUNTS, "sort"):
        given = getattr(asked, name)
        if given != getattr(usual, name):
            params[name] = f"{given:g}" if isinstance(given, float) else given
    if asked.down:
        params["down"] = 1
    return urlencode(params)


def _number(name: str, text: str) -> float:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        raise UsageError(f"{name}={text}: write a number, e.g. 3.5.") from None


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"{name}={text}: write a whole number, e.g. 2.")
    return int(text)
