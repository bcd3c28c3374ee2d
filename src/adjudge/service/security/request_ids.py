"""Every request has an id: in the answer, in problems and in the log."""

from __future__ import annotations

import re
import secrets

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SANE = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class RequestIds:
    """`X-Request-ID` of the request where it is sane, else one that is made here."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        request_id = given if _SANE.fullmatch(given) else secrets.token_hex(8).encode()
        scope.setdefault("state", {})["request_id"] = request_id.decode()

        async def with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id)]
            await send(message)

        await self._app(scope, receive, with_id)
