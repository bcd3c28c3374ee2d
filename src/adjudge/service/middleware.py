"""What every request passes on its way to a route, in order: `install` has the whole list."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from time import perf_counter

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .api import problems
from .observability import LOGGER, Metrics
from .security.request_checks import RequestChecks
from .state import Service


def install(app: FastAPI, service: Service) -> None:
    """A request goes down this list, its answer comes up."""
    app.user_middleware = [
        Middleware(ResponseHeaders),  # every answer has them, those of errors too
        Middleware(RequestObserver, metrics=service.metrics),  # sees what is refused below, too
        Middleware(RequestChecks, service=service),  # host, access, rate, size, origin, form
    ]


Header = tuple[bytes, bytes]

# What browsers are told not to do: load from elsewhere, frame our pages, guess types.
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


_SANE = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class ResponseHeaders:
    """What browsers must not do with an answer, and the id of its request: `X-Request-ID` where
    that is sane, else one that is made here. It stands in the answer, in problems and in the log.

    Only what is not there is added: a route that knows better, as for a download, has its say.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        named = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        request_id = named if _SANE.fullmatch(named) else secrets.token_hex(8).encode()
        scope.setdefault("state", {})["request_id"] = request_id.decode()
        is_static = scope["path"].startswith("/static/")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = _completed(message.get("headers", ()), is_static=is_static)
                message["headers"] = [*headers, (b"x-request-id", request_id)]
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


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_STREAMS = frozenset({"/api/v1/runs/{run}/events"})


class RequestObserver:
    """Every request is counted, timed and logged; none ends without an answer."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = perf_counter(), 0
        method = scope["method"]
        if method == "HEAD":  # as GET; uvicorn, which knows better, leaves the body out
            scope = {**scope, "method": "GET"}

        async def hearing(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, hearing)
        except asyncio.CancelledError:  # the service ends, and has waited long enough
            if status:
                raise
            await problems.cut_off(Request(scope))(scope, receive, hearing)
        except Exception as error:
            LOGGER.error("a request failed", exc_info=error, extra=_extra(scope, status or 500))
            if status:
                raise  # the answer has begun: only a closed connection shows that it broke
            await problems.unexpected(Request(scope))(scope, receive, hearing)
        finally:
            self._record({**scope, "method": method}, status or 499, perf_counter() - began)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = route_of(scope)
        # Anybody can make up a method; each would be a figure of its own.
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self._metrics.request(method, route, status, None if route in _STREAMS else seconds)
        if LOGGER.isEnabledFor(logging.INFO):
            LOGGER.info("request", extra=_extra(scope, status) | {"ms": round(seconds * 1000, 1)})


def _extra(scope: Scope, status: int) -> dict[str, object]:
    state = scope.get("state", {})
    access = state.get("access")
    return {
        "request_id": state.get("request_id", ""),
        "method": scope["method"],
        "route": route_of(scope),
        "status": status,
        "token": getattr(access, "token_id", ""),
    }


def route_of(scope: Scope) -> str:
    """The template of the route, never the path itself: ids and texts may stand in that."""
    route = scope.get("route")
    path = getattr(route, "path", None)
    if path is not None:
        return str(path)
    return "/static" if scope["path"].startswith("/static/") else "(none)"
