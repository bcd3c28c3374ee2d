"""A run page's address and the question that it asks."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.analysis.browsing import Query
from adjudge.analysis.browsing.query import SORTS
from adjudge.errors import UsageError
from adjudge.service.pages.run_filters import address, query_of

_NAMES = st.none() | st.text(min_size=1, max_size=20)
_NUMBERS = st.none() | st.integers(-100, 100).map(lambda n: n / 4)


@given(
    st.builds(
        Query,
        search=st.text(max_size=20),
        judge=_NAMES,
        model=_NAMES,
        criterion=_NAMES,
        low=_NUMBERS,
        value=_NAMES,
        outcome=_NAMES,
        rule=_NAMES,
        disagreement=_NUMBERS,
        sort=st.sampled_from(SORTS),
        down=st.booleans(),
        page=st.integers(1, 10_000),
        size=st.integers(1, 200),
    )
)
def test_an_address_asks_the_query_that_it_was_made_of(query: Query) -> None:
    params = dict(parse_qsl(address(query, page=query.page), keep_blank_values=True))
    assert query_of(params) == query


def test_a_changed_query_begins_at_its_first_page() -> None:
    query = Query(page=7, outcome="refused")
    assert address(query, outcome=None) == ""
    assert address(query, page=8) == "outcome=refused&page=8"


def test_another_criterion_begins_without_the_scores_of_the_first() -> None:
    query = Query(criterion="kind", value="fact", outcome="scored")
    assert address(query, criterion="quality") == "criterion=quality&outcome=scored"
    assert address(query, sort="latency") == address(query) + "&sort=latency"
    ranged = Query(criterion="quality", low=2.0, high=3.0)
    assert address(ranged, criterion="polite", low=1.0) == "criterion=polite&low=1"


@pytest.mark.parametrize("scores", [{"value": "fact"}, {"low": "3"}, {"high": "x"}])
def test_scores_that_a_form_had_for_another_criterion_are_left_aside(
    scores: dict[str, str],
) -> None:
    form = {"scores_of": "kind", "rule": "any", "sort": "score", "down": "1", **scores}
    chosen = query_of(form | {"criterion": "quality"})
    assert chosen == Query(criterion="quality", rule="any", sort="score", down=True)
    # Of all criteria together there is no score to sort by.
    assert query_of(form) == query_of(form | {"criterion": ""}) == Query(rule="any")
    assert query_of(form | {"sort": "latency"}) == Query(rule="any", sort="latency", down=True)


def test_scores_of_the_same_criterion_stay() -> None:
    form = {"scores_of": "kind", "criterion": "kind", "value": "fact"}
    assert query_of(form) == Query(criterion="kind", value="fact")


def test_empty_fields_of_a_form_ask_for_nothing() -> None:
    empty = dict.fromkeys(("search", "judge", "low", "high", "outcome", "sort", "page"), "")
    assert query_of(empty) == Query()


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"low": "much"}, "low=much: write a number"),
        ({"low": "nan"}, "low=nan: write a number"),
        ({"high": "9" * 5000}, "write a number"),
        ({"page": "two"}, "page=two: write a whole number"),
        ({"page": "-1"}, "page=-1: write a whole number"),
        ({"page": "9" * 30}, "write a whole number"),
        ({"sort": "colour"}, "sort=colour"),
        ({"size": "1000"}, "size=1000"),
    ],
)
def test_what_cannot_be_asked(params: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        query_of(params)


def test_a_decimal_comma_is_understood() -> None:
    assert query_of({"low": " 3,5 "}).low == 3.5
