"""The question that the page of a run is asked: read from its address, written into one, and told
as chips that can be taken away.

The whole question stands in the address, so that it can be shared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite, nan
from typing import Any, NamedTuple, cast
from urllib.parse import quote_plus, unquote_plus, urlencode

from starlette.datastructures import QueryParams

from adjudge.analysis.browsing import HOWS, SCORE, ItemCondition, Query, Sort
from adjudge.analysis.scores import DIVIDED
from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.strings import Strings
from adjudge.strings.numerals import in_language

from .rendering import whole_number

# By the names that the fields of a query have.
_TEXTS = ("search", "judge", "model", "criterion", "value", "outcome", "rule", "label")
_NUMBERS = ("low", "high", "disagreement")
_COUNTS = ("page", "size")
_SCORES = ("low", "high", "value")  # on the scale of the criterion
_ADDED = ("column", "how", "with")  # the fields of the form that a condition is added by


def query_of(params: Mapping[str, str]) -> Query:
    """UsageError names a number that is none; unknown names are told by the index.

    `scores_of` is the criterion that a form had its fields of scores for: where another one was
    chosen in it, they are left aside.
    """
    where = tuple(dict.fromkeys((*_listed(params, "where"), *_added(params))))
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
    return Query(**fields, where=where, down=params.get("down") == "1")


def adds_condition(params: Mapping[str, str]) -> bool:
    """Whether a form added one: the address is rewritten, so that it can be shared."""
    return any(name in params for name in _ADDED)


def _listed(params: Mapping[str, str], name: str) -> list[str]:
    if isinstance(params, QueryParams):
        return [text for text in params.getlist(name) if text]
    return [params[name]] if params.get(name) else []


def _added(params: Mapping[str, str]) -> Iterator[str]:
    column, how = params.get("column", ""), params.get("how", "=")
    if column and (params.get("with", "") or how == "="):
        if how not in HOWS:
            raise UsageError(Reason("query.condition").at_parameter("how", how))
        yield str(ItemCondition(column, how, params.get("with", "")))


def address(query: Query, **changes: Any) -> str:
    """The parameters that ask the changed query; on its first page, unless another is named.

    The scores asked for are those of a criterion: another one begins without.
    """
    other = changes.get("criterion", query.criterion) != query.criterion
    left: dict[str, Any] = dict.fromkeys(_SCORES) if other else {}
    changed = replace(query, **left | {"page": 1} | changes)
    usual = Query()
    params: dict[str, object] = {}
    for name in (*_TEXTS, *_NUMBERS, "where", *_COUNTS, "sort"):
        value = getattr(changed, name)
        if value != getattr(usual, name):
            params[name] = f"{value:g}" if isinstance(value, float) else value
    if changed.down:
        params["down"] = 1
    return urlencode(params, doseq=True)


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
        raise UsageError(Reason("form.number").at_parameter(name, text))
    return number


def _whole(name: str, text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise UsageError(Reason("form.whole").at_parameter(name, text))
    return number


class Chip(NamedTuple):
    """A filter in words, and the changes of the query that take it away."""

    text: str
    without: Mapping[str, Any]


def chips(query: Query, titles: Mapping[str, str], say: Strings) -> Iterator[Chip]:
    """One per filter; `titles` are those of the criteria."""
    if query.search:
        yield Chip(say("run.chip.search", value=query.search), {"search": ""})
    for name in ("judge", "model"):
        if value := getattr(query, name):
            yield Chip(f"{say(f'common.{name}')}: {value}", {name: None})
    yield from _score_chips(query, titles, say)
    if query.outcome:
        key = "run.any_unscored" if query.outcome == "unscored" else f"outcome.{query.outcome}"
        words = say(key) if key in say else query.outcome
        yield Chip(say("run.chip.outcome", value=words), {"outcome": None})
    if query.rule:
        words = say("run.any_rule") if query.rule == "any" else query.rule
        yield Chip(say("run.chip.rule", value=words), {"rule": None})
    if query.disagreement is not None:
        words = say("run.chip.disagreement", value=_figure(query.disagreement, say))
        yield Chip(words, {"disagreement": None})
    if query.label:
        key = f"run.label.{query.label}"
        words = say(key) if key in say else say("run.label.said", value=query.label[1:])
        yield Chip(words, {"label": None})
    for written in query.where:
        rest = tuple(other for other in query.where if other != written)
        yield Chip(_condition_words(ItemCondition.of(written), titles, say), {"where": rest})


def _figure(number: float, say: Strings) -> str:
    return in_language(f"{number:g}", say.language)


def _score_chips(query: Query, titles: Mapping[str, str], say: Strings) -> Iterator[Chip]:
    only = next(iter(titles)) if len(titles) == 1 else ""
    asked = query.criterion or only
    title = titles.get(asked, asked or say("common.score"))
    bounds = {"low": query.low, "high": query.high}
    if query.low is not None and query.low == query.high:
        without = {"low": None, "high": None}
        yield Chip(say("run.how.=", name=title, value=_figure(query.low, say)), without)
        bounds = {}
    for name, how in (("low", ">="), ("high", "<=")):
        bound = bounds.get(name)
        if bound is not None:
            yield Chip(say(f"run.how.{how}", name=title, value=_figure(bound, say)), {name: None})
    if query.value is not None:
        value = say("common.divided") if query.value == DIVIDED else query.value
        truth = {"yes": "common.yes", "no": "common.no"}.get(value)
        words = say("run.how.=", name=title, value=say(truth) if truth else value)
        yield Chip(words, {"value": None})
    if query.criterion and not (query.by_score or query.sort == "score"):
        yield Chip(f"{say('common.criterion')}: {title}", {"criterion": None})


def _condition_words(condition: ItemCondition, titles: Mapping[str, str], say: Strings) -> str:
    criterion = condition.criterion
    name = titles.get(criterion, criterion) if criterion is not None else condition.name
    value = condition.value or say("plot.none")
    return say(f"run.how.{condition.how}", name=name, value=value)


class ShownColumns(NamedTuple):
    """The columns of the items table that a reader chose: `ours` by name, and those of the data."""

    ours: frozenset[str]
    data: tuple[str, ...]


COLUMNS_COOKIE = "adjudge_columns"
OURS = ("preview", "disagreement", "confidence", "latency", "cost")
_DATA = "data."
_MOST = 12  # columns of the data side by side


def shown_columns(cookie: str | None, known: Sequence[str]) -> ShownColumns:
    """What a cookie says, else all of ours and none of the data."""
    if cookie is None:
        return ShownColumns(frozenset(OURS), ())
    chosen = frozenset(map(unquote_plus, cookie.split("&")))
    data = [name for name in known if f"{_DATA}{name}" in chosen]
    return ShownColumns(chosen.intersection(OURS), tuple(data[:_MOST]))


def columns_cookie(chosen: Sequence[str]) -> str:
    """What `shown_columns` reads; texts in it are quoted, as a cookie must be."""
    return "&".join(quote_plus(name) for name in chosen)


def column_choices(known: Sequence[str], shown: ShownColumns) -> list[tuple[str, str, bool]]:
    """The data's columns to choose from: value, name, whether it is shown."""
    return [(f"{_DATA}{name}", name, name in shown.data) for name in known]


def criterion_choices(titles: Mapping[str, str]) -> list[tuple[str, str]]:
    """The criteria that a condition may be about."""
    return [(f"{SCORE}{name}", title) for name, title in titles.items()]
