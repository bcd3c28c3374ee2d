"""Every request is counted, timed and told in the log; none ends without an answer."""

from __future__ import annotations

import asyncio
import logging
from time import perf_counter

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adjudge.service.api import problems

from .log import LOGGER
from .metrics import Metrics

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_STREAMS = frozenset({"/api/v1/runs/{run}/events"})


class RequestObserver:
    """Around the application, inside of what gives requests their ids."""

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
                raise  # the answer has begun: only hanging up tells that it is not whole
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
