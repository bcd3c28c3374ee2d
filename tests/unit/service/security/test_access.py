"""Who comes in, and how far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.service import Running, running_service

from adjudge.service.options import ServeOptions
from adjudge.service.security.access import WRONG_A_MINUTE
from adjudge.service.security.request_head import client_address

from .client import FORM, JSON, Answer, Client, bearer, token


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


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Running]:
    """Of one test alone: what was tried before counts."""
    options = ServeOptions(store=str(tmp_path / "store.db"), require_token=True)
    with running_service(options) as running:
        yield running


def wrong(client: Client, number: int = 0, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.send("/login", named, token=f"adj_{number:08x}_{'a' * 43}")


def test_ten_wrong_ones_a_minute(remote: Client, closed: Running) -> None:
    assert {wrong(remote).status for _ in range(WRONG_A_MINUTE)} == {401}
    right = token(closed.service.store)
    refused = remote.send("/login", token=right)  # else trying would go on
    assert refused.status == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 6
    assert "Too many requests" in refused.text
    assert not [name for name in remote.cookies if "session" in name]
    # Whoever asks from elsewhere, or has a token already, is not held up.
    assert remote.send("/login", {"X-Forwarded-For": "192.0.2.7"}, token=right).status == 303
    assert remote.get("/").status == 200


def test_right_ones_cost_nothing(remote: Client, closed: Running) -> None:
    right = token(closed.service.store)
    answers = [remote.send("/login", token=right) for _ in range(WRONG_A_MINUTE + 2)]
    assert {each.status for each in answers} == {303}


def test_those_that_come_at_once_are_counted_too(remote: Client) -> None:
    body = f"csrf={remote.mark()}&token=x".encode()

    def attempt(_: int) -> int:
        return Client(remote.url, cookies=dict(remote.cookies))("POST", "/login", body, FORM).status

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(attempt, range(30)))
    assert statuses.count(401) <= WRONG_A_MINUTE + 2  # a few seconds may have passed
    assert statuses.count(429) >= 18


def test_wrong_ones_do_not_make_us_look_into_the_store(
    remote: Client, closed: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signing in shares the guard's book, and with it how often that may look."""
    monkeypatch.setattr(closed.service.tokens, "holds", 1000.0)
    tokens, looks = closed.service.store.tokens, list[int]()
    before = tokens.all

    def counted() -> object:
        looks.append(1)
        return before()

    monkeypatch.setattr(tokens, "all", counted)
    right = token(closed.service.store)
    remote.send("/login", token=right)
    looks.clear()
    for _ in range(3):
        assert remote.send("/login", token=right).status == 303
    assert not looks
    closed.service.tokens._looks._usual = 2
    closed.service.tokens._looks._buckets.clear()
    assert {wrong(remote, number).status for number in range(8)} == {401}
    assert len(looks) <= 3


@pytest.mark.parametrize(
    ("peer", "forwarded", "counted"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "203.0.113.5", "192.0.2.1"),  # anybody can write that
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.1, 203.0.113.5", "203.0.113.5"),  # the proxy's own word is last
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("::1", "203.0.113.5", "203.0.113.5"),
        ("2001:db8:1:2:3::4", "", "2001:db8:1:2::/64"),
        ("127.0.0.1", "2001:db8:1:2:5::6", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "", "192.0.2.1"),
        ("::ffff:127.0.0.1", "203.0.113.5", "203.0.113.5"),
        (None, "203.0.113.5", ""),
    ],
)
def test_whom_an_attempt_is_counted_to(peer: str | None, forwarded: str, counted: str) -> None:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    client = (peer, 5000) if peer else None
    scope = {"path": "/login", "method": "POST", "headers": headers, "client": client}
    assert client_address(scope) == counted
