"""Wrong tokens on the page for signing in."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.service import Running, running_service

from adjudge.service.options import ServeOptions
from adjudge.service.security import token_book
from adjudge.service.security.addresses import address_of
from adjudge.service.security.sign_in import WRONG_A_MINUTE

from .client import FORM, Answer, Client, token


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
    monkeypatch.setattr(token_book, "_HOLDS", 1000.0)
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
    closed.app.state.token_book._looks._usual = 2
    closed.app.state.token_book._looks._buckets.clear()
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
    assert address_of(scope) == counted
