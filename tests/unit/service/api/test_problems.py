from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException

from adjudge.core.reason import Reason
from adjudge.errors import (
    AdjudgeError,
    DataError,
    DefinitionError,
    ModelUnavailable,
    ProviderError,
    StoreError,
    UnknownName,
    UsageError,
)
from adjudge.judges import load_text
from adjudge.service.api.openapi import _WHEN
from adjudge.service.api.problems import ProblemKind, of_error, of_http

from .conftest import ITEM, JUDGE, Api


@pytest.fixture
def api(shared: Api) -> Api:
    """One service for the whole file."""
    return shared


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


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (400, "malformed"),
        (401, "unauthorized"),
        (403, "forbidden"),
        (404, "not-found"),
        (405, "method-not-allowed"),
        (408, "too-slow"),
        (413, "too-large"),
        (415, "unsupported-type"),
        (418, "malformed"),
        (421, "misdirected"),
        (429, "too-many-requests"),
        (431, "too-large"),
        (500, "internal-error"),
        (505, "internal-error"),
    ],
)
def test_each_refusal_has_its_type(status: int, name: str) -> None:
    told = of_http(HTTPException(status)).body("/x", "1")
    assert (told["type"], told["status"]) == (f"urn:adjudge:problem:{name}", status)


def test_types_are_described(api: Api) -> None:
    described = api.get("openapi.json")["components"]["schemas"]["Problem"]["properties"]["type"]
    assert described["enum"] == [kind.urn for kind in ProblemKind]
    written = (Path(__file__).parents[4] / "docs/service.md").read_text("utf-8")
    errors = written.partition("### Errors")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d{3}) \| (.+?) \|", errors, re.MULTILINE)
    assert {name for _, names in rows for name in re.findall(r"`(.+?)`", names)} == set(ProblemKind)
    assert {int(status) for status, _ in rows} == {*_WHEN, 405}
    for status, names in rows:
        if int(status) not in {422, 502, 503}:  # those that only an error of ours has
            assert of_http(HTTPException(int(status))).kind in names


def test_places_become_entries_of_their_own() -> None:
    deep = Reason("place.at", place=Reason("at.row_line", line=2), why=Reason("rows.too_deep"))
    rows, last = (Reason("rows.entry", why=deep),), Reason("rows.mend")
    bad = Reason("rows.bad", bad=1, all=2, rows=rows, last=last)
    told = of_error(DataError(bad.in_file("a.csv")))
    detail = "line 2: is nested too deeply; flatten it"
    assert told.errors[1] == {"detail": detail, "line": 2}


def test_every_problem_of_a_judge_has_its_line_and_key() -> None:
    with pytest.raises(DefinitionError) as caught:
        load_text("judge: Odd\nzzzzz: 1\n", "definition")
    told = of_error(caught.value)
    assert told.code == "judge.several"
    places = {(error.get("line"), error.get("key")) for error in told.errors}
    assert {(1, "judge"), (2, "zzzzz")} <= places
    assert {error["detail"] for error in told.errors} == set(told.detail.splitlines())


def test_flags_are_called_fields() -> None:
    told = of_error(UsageError(Reason("options.stable_method", method="a--b").at_option("map")))
    assert told.detail == "map: scores of method a--b do not vote."
    told = of_error(UsageError(Reason("options.stable_few")))
    assert told.detail == "stop_when_stable needs repeat 3 or more: else none can be saved."


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
    name = text.replace("\x00", "")  # no store on a server keeps a NUL
    row = api.post("judge", {"judge": "helpfulness", "item": {"id": name, **ITEM, "answer": text}})
    assert row["item"] == name
    assert "<script>alert(1)</script>" in api.model.prompts[0]


def test_a_body_of_another_kind_is_refused(api: Api) -> None:
    for path in ("judge", "labels", "runs"):
        problem = api.problem(path, b"x", headers={"Content-Type": "text/plain"})
        assert problem["status"] == 415
        assert problem["type"] == "urn:adjudge:problem:unsupported-type"


def test_unknown_addresses_and_methods(api: Api) -> None:
    assert api.problem("nothing")["status"] == 404
    assert api.problem("judge", method="DELETE")["status"] == 405


def test_elsewhere_an_error_is_a_page_in_the_readers_language(api: Api) -> None:
    answer = api.running.ask("/runs/none", headers={"Accept-Language": "ko"})
    assert answer.status == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "찾을 수 없음" in answer.body.decode()
    assert api.running.service.store.where not in answer.body.decode()


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("labels", "GET, HEAD, POST"), ("judge", "POST"), ("runs/x", "DELETE, GET, HEAD")],
)
def test_all_methods_of_an_address_are_named(path: str, allowed: str, api: Api) -> None:
    answer = api.running.ask(f"/api/v1/{path}", method="PUT")
    assert answer.status == 405
    assert answer.headers["allow"] == allowed


@pytest.mark.parametrize("path", ["/healthz", "/api/v1/runs", "/", "/static/app.css"])
def test_head_is_get_without_the_body(path: str, api: Api) -> None:
    got, head = (api.running.ask(path, method=method) for method in ("GET", "HEAD"))
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == got.headers["content-length"]
    assert head.headers["content-type"] == got.headers["content-type"]


MANY = {f"k{number}": 1 for number in range(99_000)}
TOO_MUCH: dict[str, tuple[str, object]] = {
    "rows": ("runs", {"judges": ["helpfulness"], "rows": [1] * 200_000}),
    "labels": ("labels", {"run": "latest", "labels": [{}] * 99_000}),
    "fields of a label": ("labels", {"run": "latest", "labels": [MANY]}),
    "fields": ("judge", {"judge": "helpfulness", "item": {}, **MANY}),
    "fields of a definition": ("judge", {"judge": MANY, "item": {}}),
    "map": ("judge", {"judge": "helpfulness", "item": {}, "map": MANY}),
    "tags": ("runs", {"judges": ["x"], "rows": [{}], "tags": dict.fromkeys(MANY, "v")}),
    "judges": ("runs", {"judges": [1] * 99_000, "rows": [{}]}),
    "a long name": ("judge", {"judge": "helpfulness", "item": {}, "k" * 900_000: 1}),
    "a definition": (
        "judge",
        {"judge": {"definition": "\n".join(f"k{n}: 1" for n in range(9000))}, "item": {}},
    ),
}


@pytest.mark.parametrize(("path", "body"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_however_much_is_wrong_the_answer_is_short(api: Api, path: str, body: object) -> None:
    answer = api.running.ask(f"/api/v1/{path}", body)
    assert answer.status == 422
    assert 1 <= len(answer.json["errors"]) <= 21
    assert len(answer.body) < 100_000


def test_how_many_more_labels_are_wrong_is_told(api: Api) -> None:
    run = api.run(1)
    label = {"item": "r0", "criterion": "rating", "value": 99}
    labels = [label | {"rater": f"p{number}"} for number in range(5000)]
    problem = api.problem("labels", {"run": run, "labels": labels})
    assert (len(problem["errors"]), problem["errors_left_out"]) == (20, 4980)


def test_long_bodies_that_fit_are_taken(api: Api) -> None:
    run = api.run(1)
    label = {"item": "r0", "criterion": "rating", "value": 3}
    labels = [label | {"rater": f"p{number}"} for number in range(5000)]
    assert len(json.dumps(labels)) > 2**18
    assert api.post("labels", {"run": run, "labels": labels})["labels"] == 5000


@pytest.mark.parametrize(
    "tags", [{"k" * 201: "v"}, {"k": "v" * 201}, {f"k{n}": "v" for n in range(51)}]
)
def test_tags_are_few_and_short(api: Api, tags: dict[str, str]) -> None:
    body = {"judges": ["helpfulness"], "rows": [ITEM], "tags": tags}
    assert api.problem("runs", body)["errors"][0]["pointer"].startswith("/tags")


@pytest.mark.parametrize("name", ["item", "criterion"])
def test_names_are_short(api: Api, name: str) -> None:
    label = {"item": "a", "criterion": "rating", "value": 3, name: "n" * 1001}
    problem = api.problem("labels", {"run": "latest", "labels": [label]})
    assert problem["errors"][0]["pointer"] == f"/labels/0/{name}"


def test_a_definition_without_an_end_is_refused(api: Api) -> None:
    loops = "{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}"
    text = f"{JUDGE}prompt: |\n  {{{{ answer }}}}\n  {loops}\n"
    assert (
        "200,000 steps"
        in api.problem("judge", {"judge": {"definition": text}, "item": ITEM})["detail"]
    )
    later = text.replace("{% for i", "{% if 'boom' in answer %}{% for i").rstrip() + "{% endif %}\n"
    body = {"judge": {"definition": later}, "item": {"answer": "boom"}}
    assert "200,000 steps" in api.problem("judge", body)["detail"]
    started = api.post(
        "runs", {"judges": [{"definition": later}], "rows": [{"answer": "boom"}]}, 202
    )
    api.ended(started["run"])
    told = api.get(f"runs/{started['run']}")
    assert told["state"] == "failed"
    assert "200,000 steps" in told["problem"]
    assert not api.model.asked
