"""What went wrong, in the form of RFC 9457 below /api and as a page elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from http import HTTPStatus
from typing import Any, NamedTuple

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.core.reason import Reason, reason_of
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
    place_of,
)
from adjudge.service.observability import LOGGER
from adjudge.service.pages.rendering import FormFields, ProblemLine, page, problem_lines, strings_of
from adjudge.service.state import service_of
from adjudge.strings import Coded, OptionNames, reason_words


class ProblemKind(StrEnum):
    """The last part of a problem's type. docs/service.md says when each comes."""

    MALFORMED = "malformed"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not-found"
    METHOD_NOT_ALLOWED = "method-not-allowed"
    TOO_SLOW = "too-slow"
    CONFLICT = "conflict"
    TOO_LARGE = "too-large"
    UNSUPPORTED_TYPE = "unsupported-type"
    MISDIRECTED = "misdirected"
    BAD_REQUEST = "bad-request"
    BAD_JUDGE = "bad-judge"
    BAD_DATA = "bad-data"
    TOO_MANY_REQUESTS = "too-many-requests"
    INTERNAL_ERROR = "internal-error"
    PROVIDER_FAILED = "provider-failed"
    PROVIDER_BUSY = "provider-busy"
    MODEL_UNAVAILABLE = "model-unavailable"
    STORE_FAILED = "store-failed"
    SERVICE_BUSY = "service-busy"
    SERVICE_ENDS = "service-ends"

    @property
    def urn(self) -> str:
        return f"urn:adjudge:problem:{self}"


# For refusals that know no more than their status.
_OF_STATUS = {
    401: ProblemKind.UNAUTHORIZED,
    403: ProblemKind.FORBIDDEN,
    404: ProblemKind.NOT_FOUND,
    405: ProblemKind.METHOD_NOT_ALLOWED,
    408: ProblemKind.TOO_SLOW,
    409: ProblemKind.CONFLICT,
    413: ProblemKind.TOO_LARGE,
    415: ProblemKind.UNSUPPORTED_TYPE,
    421: ProblemKind.MISDIRECTED,
    422: ProblemKind.BAD_REQUEST,
    429: ProblemKind.TOO_MANY_REQUESTS,
    431: ProblemKind.TOO_LARGE,
}


def kind_of_status(status: int) -> ProblemKind:
    """Any other status stands for the first one of its class, as RFC 9110 has it."""
    first = ProblemKind.MALFORMED if status < 500 else ProblemKind.INTERNAL_ERROR
    return _OF_STATUS.get(status, first)


MEDIA_TYPE = "application/problem+json"
_MOST = 20  # errors, or lines of a message, that are shown one by one
_LONGEST = 2_000  # characters of each: they may repeat what was sent
# Error → HTTP status and kind of problem; the first that fits counts.
_KINDS: tuple[tuple[type[AdjudgeError], int, ProblemKind], ...] = (
    (UnknownName, 404, ProblemKind.NOT_FOUND),
    (Conflict, 409, ProblemKind.CONFLICT),
    (DefinitionError, 422, ProblemKind.BAD_JUDGE),
    (DataError, 422, ProblemKind.BAD_DATA),
    (UsageError, 422, ProblemKind.BAD_REQUEST),
    (ModelUnavailable, 503, ProblemKind.MODEL_UNAVAILABLE),
    (ProviderError, 502, ProblemKind.PROVIDER_FAILED),
    (StoreError, 503, ProblemKind.STORE_FAILED),
    (AdjudgeError, 500, ProblemKind.INTERNAL_ERROR),
)
_STORE = Reason("here.store")
_NO_REASON = Reason.of("")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpProblem:
    """What is told of it, except for the request that met it. `detail` is `reason` in the words of
    the API; `code` is that of the error, "" where it has none."""

    status: int
    kind: ProblemKind
    detail: str
    reason: Reason = _NO_REASON
    code: str = ""
    errors: Sequence[Mapping[str, Any]] = ()
    headers: Mapping[str, str] | None = None

    def body(self, path: str, request_id: str) -> dict[str, Any]:
        body: dict[str, Any] = {
            "type": self.kind.urn,
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "instance": path,
            "request_id": request_id,
        }
        if self.code:
            body["code"] = self.code
        if self.errors:
            body["errors"] = list(self.errors)[:_MOST]
        if len(self.errors) > _MOST:
            body["errors_left_out"] = len(self.errors) - _MOST
        return body


def of_error(error: AdjudgeError) -> HttpProblem:
    status, kind = next(
        (status, kind) for error_class, status, kind in _KINDS if isinstance(error, error_class)
    )
    wait = getattr(error, "retry_after", None)
    if isinstance(error, ProviderError) and (wait is not None or error.status in {429, 503}):
        status, kind = 503, ProblemKind.PROVIDER_BUSY
    headers = {} if wait is None else {"Retry-After": str(math.ceil(wait))}
    reason = _STORE if isinstance(error, StoreError) else reason_of(error)
    detail = _short(reason_words("en", reason, _FIELDS))
    errors = _places(detail, error) if status == 422 else []
    return HttpProblem(
        status=status,
        kind=kind,
        detail=detail,
        reason=reason,
        code=error.code,
        errors=errors,
        headers=headers,
    )


class _RequestFields(OptionNames):
    """Options as the fields of a request."""

    def __getitem__(self, name: str) -> str:
        return name.replace("-", "_")


_FIELDS = _RequestFields()


def _short(message: str) -> str:
    """The first lines of the message, and how many more there are."""
    lines = message.split("\n", 10 * _MOST * _MOST)
    shown = [_cut(line) for line in lines[:_MOST]]
    if len(lines) > _MOST:
        shown.append(f"… and {len(lines) - _MOST:,} more")
    return "\n".join(shown)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _places(detail: str, error: AdjudgeError) -> list[dict[str, Any]]:
    """Each line of the detail, with the line of the data or judge that it is about, and the key of
    the judge."""
    known = _places_of(error)
    texts = filter(None, map(str.strip, detail.splitlines()))
    return [{"detail": text, **known.get(text, {})} for text in texts]


def _places_of(error: AdjudgeError) -> dict[str, dict[str, Any]]:
    """By what is said of them."""
    if error.reason is None:
        return {}
    problems = error.problems if isinstance(error, DefinitionError) else (reason_of(error),)
    places: list[tuple[Coded, Mapping[str, Any]]] = [
        (problem, place_of(problem)) for problem in problems
    ]
    for row in error.reason.fields.get("rows", ()):
        place = getattr(row.fields.get("why"), "fields", {}).get("place")
        if place is not None:
            places.append((row, place.fields))
    return {_cut(reason_words("en", said, _FIELDS)).strip(): _told(at) for said, at in places}


def _told(place: Mapping[str, Any]) -> dict[str, Any]:
    """A prompt's own lines count where those of the file are not known."""
    lines = [place[name] for name in ("line", "text_line") if name in place]
    line: dict[str, Any] = {"line": lines[0]} if lines else {}
    return line | ({"key": place["key"]} if "key" in place else {})


def of_validation(error: RequestValidationError) -> HttpProblem:
    """Without what was sent: it may be long, and a secret."""
    problems = error.errors()
    errors: list[Mapping[str, str]] = [_place(problem) for problem in problems[:_MOST]]
    errors += [{}] * (len(problems) - len(errors))  # only their number is told
    first = errors[0] if errors else {"detail": "it does not fit", "pointer": "", "where": "body"}
    detail = f"The {first['where']} does not fit at {first['pointer'] or '/'}: {first['detail']}."
    return HttpProblem(status=422, kind=ProblemKind.BAD_REQUEST, detail=detail, errors=errors)


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


def of_http(error: HTTPException) -> HttpProblem:
    status, detail = error.status_code, error.detail
    known = detail == HTTPStatus(status).phrase and status in _OF_HTTP
    kind = kind_of_status(status)
    reason = _OF_HTTP[status] if known else Reason.of(detail)
    detail = str(reason)
    return HttpProblem(
        status=status, kind=kind, detail=detail, reason=reason, headers=error.headers
    )


_OF_HTTP = {404: Reason("here.address"), 405: Reason("here.method")}


def answer(request: Request, problem: HttpProblem) -> Response:
    """The problem in the form that whoever asks can read."""
    # Where the store lies is nobody's business.
    where = service_of(request).store.where
    detail = problem.detail.replace(where, "the store")
    known = problem.reason.with_texts(lambda text: text.replace(where, "the store"))
    reason = known if known.code else Reason.of(detail)
    problem = replace(problem, detail=detail, reason=reason)
    request_id = str(getattr(request.state, "request_id", ""))
    headers = dict(problem.headers or {})
    if is_api(request.url.path):
        body = orjson.dumps(problem.body(request.url.path, request_id))
        return Response(body, problem.status, headers, MEDIA_TYPE)
    shown = page(request, "error", problem.status, problem=problem, request_id=request_id)
    shown.headers.update(headers)
    return shown


class Refusal(NamedTuple):
    status: int
    lines: list[ProblemLine]


def refusal(request: Request, error: AdjudgeError, *, in_form: bool = False) -> Refusal:
    """An error as the page tells it on which it came up. `in_form`: options go by the titles of the
    fields of the form for a new run."""
    problem, say = of_error(error), strings_of(request)
    fields = FormFields(say) if in_form else None
    lines = problem_lines(say, problem.reason, problem.kind, fields)
    return Refusal(problem.status, lines + (fields.left_out() if fields else []))


def is_api(path: str) -> bool:
    return path.startswith("/api/") or path in {"/api", "/healthz", "/metrics"}


def unexpected(request: Request) -> Response:
    """For a fault of ours; what it was stands in the log under the request's id."""
    detail = "The service failed at this request. Its log says more under the request's id."
    return answer(request, HttpProblem(status=500, kind=ProblemKind.INTERNAL_ERROR, detail=detail))


def cut_off(request: Request) -> Response:
    """For a request that is still under way when the service has to end."""
    detail = "The service was ended before this request was done. Send it again."
    headers = {"Connection": "close"}
    problem = HttpProblem(status=503, kind=ProblemKind.SERVICE_ENDS, detail=detail, headers=headers)
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
            if request.method == "GET" and not is_api(request.url.path):
                return RedirectResponse(_page_above(request), 303)
            methods = _methods(request, request.url.path)
            problem = replace(problem, headers={"Allow": ", ".join(methods)})
        return answer(request, problem)


def _page_above(request: Request) -> str:
    """Whoever comes back to the address of a form, as in another language, finds its page."""
    path = request.url.path
    while path and "GET" not in _methods(request, path):
        path = path.rpartition("/")[0]
    return path or "/"


def _methods(request: Request, path: str) -> list[str]:
    """What the address takes; the framework names the methods of the first route that it finds."""
    methods: set[str] = set()
    for included in request.app.routes:
        router = getattr(included, "original_router", None)
        for route in router.routes if router else [included]:
            shape = getattr(route, "path_regex", None)
            if shape and shape.match(path):
                methods |= getattr(route, "methods", None) or set()
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))
