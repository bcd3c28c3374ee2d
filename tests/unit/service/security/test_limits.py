"""How often, and how much at once."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.exceptions import HTTPException
from tests.service import Running, running_service

from adjudge.service.options import ServeOptions
from adjudge.service.security import limits
from adjudge.service.security.limits import BodyLimit, BodyLimits, RateLimiter, RequestBody

from .client import JSON, Client, bearer, token


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(limits, "monotonic", lambda: now[0])
    return now


class TestRates:
    def test_a_minute_s_requests_at_once_and_then_evenly(self, clock: list[float]) -> None:
        rates = RateLimiter(usual=30)
        assert [rates.take("a", None) for _ in range(30)] == [0] * 30
        assert rates.take("a", None) == 2
        clock[0] += 1
        assert rates.take("a", None) == 1
        clock[0] += 1
        assert rates.take("a", None) == 0
        assert rates.take("a", None) == 2

    def test_being_refused_costs_nothing(self, clock: list[float]) -> None:
        rates = RateLimiter(usual=1)
        assert rates.take("a", None) == 0
        for _ in range(100):
            assert rates.take("a", None) == 60
        clock[0] += 60
        assert rates.take("a", None) == 0

    def test_nothing_is_saved_up_beyond_a_minute(self, clock: list[float]) -> None:
        rates = RateLimiter(usual=2)
        clock[0] += 10_000
        assert [rates.take("a", None) == 0 for _ in range(3)] == [True, True, False]

    def test_each_token_has_its_own(self, clock: list[float]) -> None:
        rates = RateLimiter(usual=1)
        assert rates.take("a", None) == rates.take("b", None) == 0
        assert rates.take("a", None)
        assert [rates.take("c", 3) == 0 for _ in range(4)] == [True, True, True, False]

    def test_what_is_given_back_can_be_taken_again(self, clock: list[float]) -> None:
        rates = RateLimiter(usual=1)
        for _ in range(3):
            assert rates.take("a", None) == 0
            rates.give_back("a")
        assert rates.take("a", None) == 0
        assert rates.take("a", None) == 60
        rates.give_back("nobody")

    def test_only_so_many_are_remembered(
        self, clock: list[float], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "_MOST_BUCKETS", 3)
        rates = RateLimiter(usual=1)
        for who in "abacad":
            rates.take(who, None)
        assert list(rates._buckets) == ["c", "a", "d"]

    def test_the_time_to_wait_is_enough(self, clock: list[float]) -> None:
        rates = RateLimiter(usual=7)
        for _ in range(50):
            wait = rates.take("a", None)
            clock[0] += wait
            if wait:
                assert rates.take("a", None) == 0


def test_too_many_requests(remote: Client, closed: Running) -> None:
    made = bearer(token(closed.service.store, "read", rate=3))
    answers = [remote.get("/api/v1/judges", made) for _ in range(4)]
    assert [each.status for each in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[3].headers["Retry-After"]) <= 20
    assert answers[3].json["status"] == 429
    other = bearer(token(closed.service.store, "read"))
    assert remote.get("/api/v1/judges", other).status == 200


def test_nobody_is_held_up_on_one_s_own_machine(tmp_path: Path) -> None:
    with running_service(ServeOptions(store=str(tmp_path / "s.db"), rate=1)) as running:
        client = Client(running.url)
        assert {client.get("/api/v1/judges").status for _ in range(5)} == {200}


class TestBodies:
    bodies = BodyLimits(data=100, item=10)

    @pytest.mark.parametrize(
        ("path", "kind", "most"),
        [
            ("/api/v1/judge", "application/json", 10),
            ("/api/v1/runs", "application/json", 100),
            ("/api/v1/labels", "application/json", 100),
            ("/runs", "multipart/form-data", 100),
            ("/trust/x/labels", "multipart/form-data", 100),
            ("/login", "application/x-www-form-urlencoded", 10),
        ],
    )
    def test_data_may_be_larger(self, path: str, kind: str, most: int) -> None:
        assert self.bodies.limit(path, kind) == BodyLimit(most, can_grow=most == 100)

    def test_an_item_is_never_larger_than_data(self) -> None:
        found = BodyLimits(data=5, item=10).limit("/api/v1/judge", "application/json")
        assert found == BodyLimit(5, can_grow=True)

    def test_a_body_that_says_so(self, local: Client) -> None:
        answer = local("POST", "/api/v1/judge", b" " * 4_000_001, JSON)
        assert answer.status == 413
        assert "4,000,000 bytes" in answer.json["detail"]
        assert "--max-body" not in answer.json["detail"]
        assert answer.headers["Connection"] == "close"
        assert local("POST", "/api/v1/judge", b" " * 4_000_000, JSON).status == 422

    def test_a_body_that_does_not_say_so(self, local: Client) -> None:
        pieces = (b" " * 100_000 for _ in range(60))
        answer = local("POST", "/api/v1/judge", pieces, JSON)
        assert answer.status == 413
        assert answer.json["request_id"]

    def test_data(self, local: Client) -> None:
        answer = local("POST", "/api/v1/runs", b" " * 5_000_001, JSON)
        assert answer.status == 413
        assert "--max-body" in answer.json["detail"]
        assert local("POST", "/api/v1/runs", b" " * 4_500_000, JSON).status == 422

    def test_a_form(self, local: Client) -> None:
        answer = local.send("/login", token="x" * 4_000_001)
        assert answer.status == 413
        assert "Too large" in answer.text


class TestSlowBodies:
    HEAD = (
        b"POST /api/v1/judge HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    )

    def test_a_body_that_does_not_go_on(
        self, here: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "QUIET", 0.2)
        with socket.create_connection(urlsplit(here.url).netloc.split(":"), timeout=20) as client:  # type: ignore[arg-type]
            client.sendall(self.HEAD + b"{")
            answer = b"".join(iter(lambda: client.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"application/problem+json" in answer
        assert b"did not come in time" in answer

    def test_a_trickle_is_no_body(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each byte comes soon enough, and all of them too late."""
        monkeypatch.setattr(limits, "QUIET", 0.1)

        async def trickling() -> dict[str, object]:
            await asyncio.sleep(0.02)
            return {"type": "http.request", "body": b"x", "more_body": True}

        async def read() -> None:
            body = RequestBody(trickling, BodyLimit(1000, can_grow=True))
            for _ in range(100):
                await body.receive()

        with pytest.raises(HTTPException, match="in time"):
            asyncio.run(read())

    def test_a_client_may_stay_as_long_as_it_likes_after_its_body(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "QUIET", 0.01)
        messages = [{"type": "http.disconnect"}, {"type": "http.request", "body": b"{}"}]

        async def receive() -> dict[str, object]:
            await asyncio.sleep(0 if len(messages) == 2 else 0.05)
            return dict(messages.pop())

        async def read() -> list[object]:
            body = RequestBody(receive, BodyLimit(1000, can_grow=True))
            return [(await body.receive())["type"] for _ in range(2)]

        assert asyncio.run(read()) == ["http.request", "http.disconnect"]
