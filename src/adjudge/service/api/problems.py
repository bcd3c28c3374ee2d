"""What went wrong, told in the form of RFC 9457 below /api and as a page elsewhere."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from adjudge.errors import (
    AdjudgeError,
    Conflict,
    DataError,
    DefinitionError,
    ModelUnavailable,
    ProviderError,
    StoreError,
    UnknownName,
    UsageError,
)
from adjudge.service.observing.log import LOGGER
from adjudge.service.pages.rendering import page
from adjudge.service.state import service_of

from .problem_kinds import Kind, kind_of_status

MEDIA_TYPE = "application/problem+json"
_MOST = 20  # errors, or lines of a message, that are told one by one
_LONGEST = 2_000  # characters of each: they may repeat what was sent
# Error → HTTP status and kind of problem; the first that fits counts.
_KINDS: tuple[tuple[type[AdjudgeError], int, Kind], ...] = (
    (UnknownName, 404, Kind.NOT_FOUND),
    (Conflict, 409, Kind.CONFLICT),
    (DefinitionError, 422, Kind.BAD_JUDGE),
    (DataError, 422, Kind.BAD_DATA),
    (UsageError, 422, Kind.BAD_REQUEST),
    (ModelUnavailable, 503, Kind.MODEL_UNAVAILABLE),
    (ProviderError, 502, Kind.PROVIDER_FAILED),
    (StoreError, 503, Kind.STORE_FAILED),
    (AdjudgeError, 500, Kind.INTERNAL_ERROR),
)
_STORE = "The store cannot be used just now. The log of the service says why."
_FLAG = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)")
_LINE = re.compile(r"\bline (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is told of it, but for the request that met it."""

    status: int
    kind: Kind
    detail: str
    errors: Sequence[Mapping[str, Any]] = ()
    headers: Mapping[str, str] | None = None

    def body(self, path: str, request_id: str) -> dict[str, Any]:
        told: dict[str, Any] = {
            "type": self.kind.urn,
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "instance": path,
            "request_id": request_id,
        }
        if self.errors:
            told["errors"] = list(self.errors)[:_MOST]
        if len(self.errors) > _MOST:
            told["errors_left_out"] = len(self.errors) - _MOST
        return told


def of_error(error: AdjudgeError) -> Problem:
    status, kind = next((status, kind) for each, status, kind in _KINDS if isinstance(error, each))
    wait = getattr(error, "retry_after", None)
    if isinstance(error, ProviderError) and (wait is not None or error.status in {429, 503}):
        status, kind = 503, Kind.PROVIDER_BUSY
    headers = {} if wait is None else {"Retry-After": str(math.ceil(wait))}
    detail = _STORE if isinstance(error, StoreError) else _FLAG.sub(_field, _short(str(error)))
    errors = _places(detail) if status == 422 else []
    return Problem(status=status, kind=kind, detail=detail, errors=errors, headers=headers)


def _short(message: str) -> str:
    """The first lines of the message, and how many more there are."""
    lines = message.split("\n", 10 * _MOST * _MOST)
    told = [_cut(line) for line in lines[:_MOST]]
    if len(lines) > _MOST:
        told.append(f"… and {len(lines) - _MOST:,} more")
    return "\n".join(told)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _field(flag: re.Match[str]) -> str:
    """Messages name flags of the command line; here they are fields."""
    return flag[1].replace("-", "_")


def _places(message: str) -> list[dict[str, Any]]:
    """Each line of the message, with the line of the data or judge that it names."""
    told: list[dict[str, Any]] = []
    for text in filter(None, map(str.strip, message.splitlines())):
        found = _LINE.search(text)
        told.append({"detail": text} | ({"line": int(found[1])} if found else {}))
    return told


def of_validation(error: RequestValidationError) -> Problem:
    """Without what was sent: it may be long, and a secret."""
    found = error.errors()
    errors: list[Mapping[str, str]] = [_place(each) for each in found[:_MOST]]
    errors += [{}] * (len(found) - len(errors))  # only their number is told
    first = errors[0] if errors else {"detail": "it does not fit", "pointer": "", "where": "body"}
    detail = f"The {first['where']} does not fit at {first['pointer'] or '/'}: {first['detail']}."
    return Problem(status=422, kind=Kind.BAD_REQUEST, detail=detail, errors=errors)


def _place(error: Mapping[str, Any]) -> dict[str, str]:
    where = str(error["loc"][0])
    if error.get("type") == "json_invalid":
        why = error.get("ctx", {}).get("error", error["msg"])
        detail = f"no JSON at character {error['loc'][-1]}: {why}"
        return {"detail": detail, "pointer": "", "where": where}
    return {"detail": _cut(error["msg"]), "pointer": _pointer(error["loc"]), "where": where}


def _pointer(place: Sequence[object]) -> str:
    """("body", "labels", 0, "item") → "/labels/0/item", as RFC 6901 writes it."""
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in place[1:])
    return _cut("".join(f"/{part}" for part in parts))


def of_http(error: HTTPException) -> Problem:
    status, detail = error.status_code, error.detail
    if detail == HTTPStatus(status).phrase:
        detail = _WORDS.get(status, detail)
    kind = kind_of_status(status)
    return Problem(status=status, kind=kind, detail=detail, headers=error.headers)


_WORDS = {
    404: "There is nothing at this address.",
    405: "This address does not take this method.",
}


def answer(request: Request, problem: Problem) -> Response:
    """The problem in the form that whoever asks can read."""
    # Where the store lies is nobody's business.
    detail = problem.detail.replace(service_of(request).store.where, "the store")
    problem = replace(problem, detail=detail)
    request_id = str(getattr(request.state, "request_id", ""))
    headers = dict(problem.headers or {})
    if is_api(request.url.path):
        body = orjson.dumps(problem.body(request.url.path, request_id))
        return Response(body, problem.status, headers, MEDIA_TYPE)
    shown = page(request, "error", problem.status, problem=problem, request_id=request_id)
    shown.headers.update(headers)
    return shown


def is_api(path: str) -> bool:
    return path.startswith("/api/") or path in {"/api", "/healthz", "/metrics"}


def unexpected(request: Request) -> Response:
    """For a fault of ours; what it was stands in the log under the request's id."""
    detail = "The service failed at this request. Its log says more under the request's id."
    return answer(request, Problem(status=500, kind=Kind.INTERNAL_ERROR, detail=detail))


def cut_off(request: Request) -> Response:
    """For a request that is still under way when the service has to end."""
    detail = "The service was ended before this request was done. Send it again."
    headers = {"Connection": "close"}
    problem = Problem(status=503, kind=Kind.SERVICE_ENDS, detail=detail, headers=headers)
    return answer(request, problem)


def install(app: FastAPI) -> None:
    """From here on no error leaves the application in another form."""

    @app.exception_handler(AdjudgeError)
    async def known(request: Request, error: AdjudgeError) -> Response:
        if isinstance(error, StoreError):
            LOGGER.error("the store failed: %s", error)
        return answer(request, of_error(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return answer(request, of_validation(error))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        problem = of_http(error)
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            problem = replace(problem, headers={"Allow": ", ".join(_methods(request))})
        return answer(request, problem)


def _methods(request: Request) -> list[str]:
    """What the address takes; the framework names the methods of the first route that it finds."""
    found: set[str] = set()
    for included in request.app.routes:
        router = getattr(included, "original_router", None)
        for route in router.routes if router else [included]:
            shape = getattr(route, "path_regex", None)
            if shape and shape.match(request.url.path):
                found |= getattr(route, "methods", None) or set()
    return sorted(found | ({"HEAD"} if "GET" in found else set()))
