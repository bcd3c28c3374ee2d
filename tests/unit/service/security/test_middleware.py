from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from starlette.responses import HTMLResponse, Response
from starlette.types import Message

from adjudge.service.middleware import ResponseHeaders

from .client import Client

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@pytest.mark.parametrize(
    "path",
    ["/", "/login", "/nowhere", "/api/v1/judges", "/api/nowhere", "/healthz", "/static/app.css"],
)
def test_every_answer(local: Client, path: str) -> None:
    headers = local.get(path).headers
    assert {name: headers[name] for name in ALWAYS} == ALWAYS
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "camera=()" in headers["Permissions-Policy"]
    assert "Server" not in headers
    is_static = path.startswith("/static/")
    assert headers.get("Cache-Control") == (None if is_static else "no-store")


@pytest.mark.parametrize("path", ["/", "/nowhere", "/login"])
def test_pages_load_from_here_alone(local: Client, path: str) -> None:
    policy = local.get(path).headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "unsafe" not in policy


def test_refusals_and_redirects(local: Client, remote: Client) -> None:
    refused = local.get("/", {"Host": "evil.example"})
    assert refused.status == 421
    redirected = remote.get("/")
    assert redirected.status == 303
    for answer in (refused, redirected):
        assert {name: answer.headers[name] for name in ALWAYS} == ALWAYS


def headers_of(response: Response) -> dict[str, str]:
    """What is sent of the headers of a response."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError("nothing is to be read")

    scope: dict[str, Any] = {"type": "http", "path": "/x", "headers": [], "method": "GET"}
    asyncio.run(ResponseHeaders(response)(scope, receive, send))
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_plots_may_have_a_style_and_nothing_else() -> None:
    policy = headers_of(Response("<svg/>", media_type="image/svg+xml"))["content-security-policy"]
    assert "style-src 'unsafe-inline'" in policy
    assert "script-src" not in policy
    assert "default-src 'none'" in policy


def test_a_route_has_its_say() -> None:
    own = {"Content-Security-Policy": "sandbox", "Cache-Control": "private, no-cache"}
    found = headers_of(HTMLResponse("x", headers=own))
    assert found["content-security-policy"] == "sandbox"
    assert found["cache-control"] == "private, no-cache"
    assert found["x-content-type-options"] == "nosniff"


def test_an_id_is_made(local: Client) -> None:
    made = {local.get("/healthz").headers["X-Request-ID"] for _ in range(3)}
    assert len(made) == 3
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in made)


def test_a_sane_one_is_taken(local: Client) -> None:
    given = "01HX-abc_def.9"
    answer = local.get("/api/nowhere", {"X-Request-ID": given})
    assert answer.headers.get_all("X-Request-ID") == [given]
    assert answer.json["request_id"] == given


@pytest.mark.parametrize("given", ["", "a b", "<script>", "x" * 65, "é", '"', "a;b"])
def test_another_one_is_not(local: Client, given: str) -> None:
    answer = local.get("/api/nowhere", {"X-Request-ID": given.encode().decode("latin-1")})
    assert re.fullmatch("[0-9a-f]{16}", answer.headers["X-Request-ID"])
    assert answer.json["request_id"] == answer.headers["X-Request-ID"]


def test_a_page_of_an_error_shows_it(local: Client) -> None:
    assert "<code>abc-1</code>" in local.get("/nowhere", {"X-Request-ID": "abc-1"}).text
