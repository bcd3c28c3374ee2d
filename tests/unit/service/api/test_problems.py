from __future__ import annotations

import json

import pytest

from adjudge.errors import (
    AdjudgeError,
    DataError,
    ModelUnavailable,
    ProviderError,
    StoreError,
    UnknownName,
    UsageError,
)
from adjudge.service.api.problems import of_error

from .conftest import ITEM, Api


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UnknownName("no run"), 404),
        (UsageError("--limit 0: too few"), 422),
        (DataError("a.csv: 1 of 2 rows are bad\n  line 2: empty"), 422),
        (ModelUnavailable("no key"), 503),
        (ProviderError("down"), 502),
        (ProviderError("busy", status=429), 503),
        (StoreError("/home/x/runs.db: disk"), 503),
        (AdjudgeError("other"), 500),
    ],
)
def test_each_kind_of_error_has_its_status(error: AdjudgeError, status: int) -> None:
    assert of_error(error).status == status


def test_places_become_entries_of_their_own() -> None:
    told = of_error(DataError("a.csv: 1 of 2 rows are bad\n  line 2: empty"))
    assert told.errors[1] == {"detail": "line 2: empty", "line": 2}


def test_flags_are_called_fields() -> None:
    told = of_error(UsageError("--explain-in xx: write en; see --skip-bad-rows. a--b stays."))
    assert told.detail == "explain_in xx: write en; see skip_bad_rows. a--b stays."


def test_when_to_come_back_is_passed_on() -> None:
    told = of_error(ProviderError("busy", retry_after=1.2))
    assert told.headers == {"Retry-After": "2"}


def test_a_store_that_fails_does_not_tell_where_it_lies() -> None:
    assert "/home" not in of_error(StoreError("/home/x/runs.db: disk full")).detail


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"judge": NaN}',
        b'{"judge": "\\ud800"}',
        b'{"judge": 1e999}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"item": ' + b'{"a":' * 2000 + b"1" + b"}" * 2001,
    ],
)
def test_what_is_no_json_is_refused(api: Api, body: bytes) -> None:
    problem = api.problem("judge", body)
    assert problem["status"] == 422
    assert "no JSON" in problem["detail"] or "required" in problem["detail"]


@pytest.mark.parametrize(
    "body",
    [
        [],
        "text",
        None,
        {"judge": 1, "item": {}},
        {"judge": "helpfulness", "item": []},
        {"judge": "helpfulness", "item": ITEM, "temperature": "0.5"},
        {"judge": "helpfulness", "item": ITEM, "max_tokens": 10**30},
        {"judge": "helpfulness", "item": ITEM, "seed": 2**63},
        {"judge": {"definition": 5}, "item": ITEM},
        {"judge": {"definition": "x", "file": "/etc/passwd"}, "item": ITEM},
    ],
)
def test_what_does_not_fit_is_named_by_its_place(api: Api, body: object) -> None:
    problem = api.problem("judge", json.dumps(body).encode())
    assert problem["status"] == 422
    assert problem["errors"]
    assert not api.model.asked


@pytest.mark.parametrize("depth", [200, 300, 900])
def test_deeply_nested_values_do_not_break_it(api: Api, depth: int) -> None:
    nested = b"[" * depth + b"1" + b"]" * depth
    body = b'{"judge":"helpfulness","item":{"question":"q","answer":"a","more":%b}}' % nested
    answer = api.running.ask("/api/v1/judge", body)
    assert answer.status in {200, 422}


def test_a_long_answer_is_judged(api: Api) -> None:
    row = api.post("judge", {"judge": "helpfulness", "item": {**ITEM, "answer": "가" * 330_000}})
    assert row["outcome"] == "scored"


def test_hostile_texts_come_through_as_they_are(api: Api) -> None:
    text = "\u202e<script>alert(1)</script>\x00\x1b[31m\U0001f469\u200d\U0001f4bb\u1112\u1161\u11ab"
    row = api.post("judge", {"judge": "helpfulness", "item": {"id": text, **ITEM, "answer": text}})
    assert row["item"] == text
    assert "<script>alert(1)</script>" in api.model.prompts[0]


def test_a_body_of_another_kind_is_refused(api: Api) -> None:
    for path in ("judge", "labels", "runs"):
        problem = api.problem(path, b"x", headers={"Content-Type": "text/plain"})
        assert problem["status"] == 415


def test_unknown_addresses_and_methods(api: Api) -> None:
    assert api.problem("nothing")["status"] == 404
    assert api.problem("judge", method="DELETE")["status"] == 405


def test_elsewhere_an_error_is_a_page_in_the_readers_language(api: Api) -> None:
    answer = api.running.ask("/runs/none", headers={"Accept-Language": "ko"})
    assert answer.status == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "찾을 수 없음" in answer.body.decode()
    assert api.running.service.store.where not in answer.body.decode()
