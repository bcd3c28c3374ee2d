"""Who comes in, and how far."""

from __future__ import annotations

import time

import pytest
from tests.service import Running

from .client import JSON, Client, bearer, token


def test_on_one_s_own_machine_no_token_is_needed(local: Client) -> None:
    assert local.get("/").status == 200
    assert local.get("/api/v1/judges").status == 200
    # Not refused: only what was sent does not fit.
    assert local("POST", "/api/v1/judge", b"{}", JSON).status == 422


@pytest.mark.parametrize(
    "wrong",
    [
        "x",
        "",
        "adj_00000000_" + "a" * 43,
        "adj_00000000_" + "a" * 42,
        "ADJ_00000000_" + "a" * 43,
        "adj_00000000_" + "a" * 5000,
    ],
)
def test_a_wrong_token_is_refused_even_there(local: Client, wrong: str) -> None:
    for path in ("/api/v1/judges", "/"):
        answer = local.get(path, bearer(wrong))
        assert answer.status == 401
        assert "invalid_token" in answer.headers["WWW-Authenticate"]
    assert wrong[:20] not in local.get("/api/v1/judges", bearer("x" + wrong)).text or not wrong


def test_another_s_secret_behind_the_right_id(remote: Client, closed: Running) -> None:
    one, other = token(closed.service.store), token(closed.service.store)
    assert remote.get("/api/v1/judges", bearer(one)).status == 200
    mixed = one[:13] + other[13:]
    assert remote.get("/api/v1/judges", bearer(mixed)).status == 401


def test_other_schemes_are_no_token(local: Client, remote: Client) -> None:
    basic = {"Authorization": "Basic dXNlcjpwYXNz"}
    assert local.get("/api/v1/judges", basic).status == 200
    assert remote.get("/api/v1/judges", basic).status == 401


@pytest.mark.parametrize("path", ["/api/v1/judges", "/api/v1/openapi.json", "/metrics"])
def test_without_a_token_the_api_is_closed(remote: Client, path: str) -> None:
    answer = remote.get(path)
    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="adjudge"'
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json["status"] == 401
    assert answer.json["request_id"] == answer.headers["X-Request-ID"]


@pytest.mark.parametrize("path", ["/healthz", "/login", "/static/app.css"])
def test_what_is_open(remote: Client, path: str) -> None:
    assert remote.get(path).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/../api/v1/judges",
        "/static/%2e%2e/api/v1/judges",
        "/healthz/../api/v1/judges",
        "//healthz",
        "/login/",
        "/language/../api/v1/judges",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/static/%2e%2e/app.py",
    ],
)
def test_no_way_around(remote: Client, path: str) -> None:
    answer = remote.get(path)
    assert answer.status in {303, 307, 401, 404}
    assert b"fingerprint" not in answer.body
    assert b"def create_app" not in answer.body


def test_scopes(remote: Client, closed: Running) -> None:
    store = closed.service.store
    reads, judges, rules = (bearer(token(store, each)) for each in ("read", "judge", "admin"))
    for each in (reads, judges, rules):
        assert remote.get("/api/v1/judges", each).status == 200
    for each in (judges, rules):
        assert remote("POST", "/api/v1/judge", b"{}", JSON | each).status == 422
    refused = remote("POST", "/api/v1/judge", b"{}", JSON | reads)
    assert refused.status == 403
    assert "scope judge; yours is read" in refused.json["detail"]


def test_a_revoked_token_ends_within_five_seconds(remote: Client, closed: Running) -> None:
    made = token(closed.service.store)
    assert remote.get("/api/v1/judges", bearer(made)).status == 200
    closed.service.store.tokens.revoke(made[4:12])
    end = time.monotonic() + 5
    while remote.get("/api/v1/judges", bearer(made)).status == 200:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert remote.get("/api/v1/judges", bearer(made)).status == 401


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host"])
def test_whoever_comes_through_a_proxy_is_not_on_this_machine(local: Client, name: str) -> None:
    assert local.get("/api/v1/judges", {name: "203.0.113.7"}).status == 401
