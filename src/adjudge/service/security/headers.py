"""What browsers are told not to do: load from elsewhere, frame our pages, guess types."""

from __future__ import annotations

import re
import secrets

from starlette.types import ASGIApp, Message, Receive, Scope, Send

Header = tuple[bytes, bytes]

_CLOSED = b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_PAGE = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    b" form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A plot brings its own style; as a document of its own it may do nothing else.
_SVG = b"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

_ALWAYS: tuple[Header, ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
_NOT_KEPT: Header = (b"cache-control", b"no-store")


class SecurityHeaders:
    """Adds what is not there: a route that knows better, as for a download, has its say."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_static = scope["path"].startswith("/static/")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _completed(message.get("headers", ()), is_static=is_static)
            await send(message)

        await self._app(scope, receive, with_headers)


def _completed(headers: list[Header], *, is_static: bool) -> list[Header]:
    there = dict(headers)
    kind = there.get(b"content-type", b"").partition(b";")[0].strip()
    policy = {b"text/html": _PAGE, b"image/svg+xml": _SVG}.get(kind, _CLOSED)
    wanted = [*_ALWAYS, (b"content-security-policy", policy)]
    if not is_static:  # what is judged, and who judged it, is left in no cache
        wanted.append(_NOT_KEPT)
    return [*headers, *(header for header in wanted if header[0] not in there)]


_SANE = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class RequestIds:
    """`X-Request-ID` of the request where it is sane, else one that is made here."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        named = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        request_id = named if _SANE.fullmatch(named) else secrets.token_hex(8).encode()
        scope.setdefault("state", {})["request_id"] = request_id.decode()

        async def with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id)]
            await send(message)

        await self._app(scope, receive, with_id)
