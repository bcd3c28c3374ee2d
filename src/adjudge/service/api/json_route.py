"""BodyLimits are JSON as RFC 8259 has it: no NaN, no half characters, no endless nesting."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi import Depends
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from adjudge.service.security.access import needs

PREFIX = "/api/v1"
# The scopes that routes ask for.
READ, JUDGE, ADMIN = Depends(needs("read")), Depends(needs("judge")), Depends(needs("admin"))
_MODEL = "adjudge.body"  # in the scope of a request
_AT_ONCE = 2**18  # bytes that are read without a thread
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class JsonRequest(Request):
    async def json(self) -> Any:
        """A long body is checked here too, in a thread; the checked one is checked no more."""
        body = await self.body()
        if len(body) <= _AT_ONCE:
            return orjson.loads(body)
        return await run_in_threadpool(_checked, body, self.scope[_MODEL])


class JsonRoute(APIRoute):
    """Reads bodies with orjson; 415 for a body of another kind."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle

        model = self.body_field.field_info.annotation

        async def checked(request: Request) -> Response:
            if media_type(request) != "application/json":
                raise HTTPException(415, "Send the body as application/json.")
            scope = {**request.scope, _MODEL: model}
            return await handle(JsonRequest(scope, request.receive))

        return checked


def _checked(body: bytes, model: type[BaseModel]) -> Any:
    """The model, or the bare body where it does not fit: FastAPI says so then."""
    sent = orjson.loads(body)
    try:
        return model.model_validate(sent)
    except ValidationError:
        return sent


def media_type(request: Request) -> str:
    """Without its parameters, in lower case; "" where the request does not say."""
    return request.headers.get("content-type", "").partition(";")[0].strip().casefold()


class Json(Response):
    """A body that was made with care: it is not looked at again before it is sent."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content)
