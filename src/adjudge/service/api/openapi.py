"""The description of the API, as OpenAPI 3.1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi

from adjudge.service.security.access import NeedsScope

from . import problems
from .request_models import FileRequest, RowsRequest
from .response_models import Problem

_ABOUT = """Grades texts with a language model as the judge.

Errors are `application/problem+json` (RFC 9457). A judgment that failed is no error: it has an
outcome other than `scored`, and no value.

On one's own machine no token is needed. Elsewhere send `Authorization: Bearer TOKEN`; `adjudge
tokens new` makes one. Scopes: read looks, judge also judges, labels and starts runs, admin also
makes and revokes tokens and deletes runs.
"""
# Status → when a request meets it.
_WHEN = {
    400: "The body or its form cannot be taken apart.",
    401: "No token, or one that is wrong or was revoked.",
    403: "The token's scope is too narrow, or the request comes from a page elsewhere.",
    404: "No such run, judge, model or token here.",
    408: "The body did not come in time.",
    409: "Not as things stand: `detail` says what is in the way.",
    413: "The body is too large.",
    415: "The body is of a kind that this does not take.",
    421: "The service is not called by the name in `Host`.",
    422: "What was sent does not fit; `errors` name the places.",
    429: "Too many requests for this token.",
    431: "The head of the request is too large.",
    500: "A fault of the service; its log says more under the request's id.",
    502: "The model's server turns the service away.",
    503: "The model or the store cannot be had just now, or the service is busy or ends.",
}
_MORE = {  # by name of the route
    "judge_one": {502},
    "stop": {409, 415},
    "delete_run": {409, 415},
    "make_token": {409},
    "revoke_token": {409, 415},
}
_DONE = {
    "judge_one": "The verdict; a model that failed is an outcome of it.",
    "start_run": "The run is planned, and goes on by itself.",
    "stop": "The run ends with the replies under way.",
    "put_labels": "The labels are kept.",
    "delete_run": "The run is gone.",
    "make_token": "The token, this once.",
    "revoke_token": "The token, which is of no use any more.",
}
_PARAMETERS = {
    "run": "An id or name, latest, latest~1 or tag:k=v.",
    "name": "The name of an offered judge.",
    "judge": "May be left out where the run has one judge.",
    "limit": "The most on a page.",
    "token": "The id of a token.",
}
_HEADERS = {
    "X-Request-ID": {
        "description": "That of the request where it is sane, else a new one.",
        "schema": {"type": "string"},
    },
    "Location": {
        "description": "The address of the run.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "Seconds after which to ask again, where that is known.",
        "schema": {"type": "string"},
    },
}
_REF = "#/components/schemas/{model}"


def describe(app: FastAPI, routers: Sequence[APIRouter]) -> None:
    """The description is made once, when it is first asked for."""
    scopes = dict(_scopes(routers))

    def made() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _description(app, scopes)
        return app.openapi_schema

    app.openapi = made  # type: ignore[method-assign]  # FastAPI's own way to do this


def _description(app: FastAPI, scopes: Mapping[str, str]) -> dict[str, Any]:
    description = get_openapi(
        title="adjudge",
        version=app.version,
        description=_ABOUT,
        routes=app.routes,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    parts = description["components"]
    for name in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(name, None)
    for model in (Problem, RowsRequest):
        _add(parts["schemas"], model)
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    parts["headers"] = _HEADERS
    parts["responses"] = {f"Problem{status}": _problem(status) for status in _WHEN}
    description["paths"]["/api/v1/runs"]["post"]["requestBody"] = _run_bodies()
    for operations in description["paths"].values():
        for operation in operations.values():
            _complete(operation, scopes.get(operation["operationId"]))
    return description


def _complete(operation: dict[str, Any], scope: str | None) -> None:
    """With its scope, the problems that it can meet, and what its parameters mean."""
    name = operation["operationId"]
    if scope:
        operation["security"] = [{}, {"token": [scope]}]
        about = f"{operation.get('description', '')}\n\nScope of the token: {scope}."
        operation["description"] = about.strip()
    for parameter in operation.get("parameters", ()):
        parameter.setdefault("description", _PARAMETERS.get(parameter["name"], ""))
    answers = operation["responses"]
    answers.pop("422", None)
    for answer in answers.values():
        answer["description"] = _DONE.get(name, "What was asked for.")
        answer["headers"] = {"X-Request-ID": _header("X-Request-ID")}
    if "202" in answers:
        answers["202"]["headers"]["Location"] = _header("Location")
    for status in _statuses(operation, scope):
        answers[str(status)] = {"$ref": f"#/components/responses/Problem{status}"}


def _statuses(operation: Mapping[str, Any], scope: str | None) -> list[int]:
    statuses = {421, 431, 500, 503}
    if scope:
        statuses |= {401, 403, 429}
    if "requestBody" in operation:
        statuses |= {400, 404, 408, 413, 415, 422}
    if operation.get("parameters"):
        statuses |= {404, 422}
    return sorted(statuses | _MORE.get(operation["operationId"], set()))


def _scopes(routers: Sequence[APIRouter]) -> Iterator[tuple[str, str]]:
    """The name of each route with the scope that it asks for."""
    for router in routers:
        for route in router.routes:
            dependencies = [*router.dependencies, *getattr(route, "dependencies", ())]
            for dependency in dependencies:
                if isinstance(dependency.dependency, NeedsScope):
                    yield route.name, dependency.dependency.scope  # type: ignore[attr-defined]


def _header(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/headers/{name}"}


def _add(parts: dict[str, Any], model: type[Any]) -> None:
    schema = model.model_json_schema(ref_template=_REF)
    parts |= schema.pop("$defs", {})
    parts[model.__name__] = schema


def _problem(status: int) -> dict[str, Any]:
    content = {"schema": {"$ref": _REF.format(model="Problem")}}
    names = ["X-Request-ID", *(["Retry-After"] if status in {429, 503} else [])]
    return {
        "description": _WHEN[status],
        "headers": {name: _header(name) for name in names},
        "content": {problems.MEDIA_TYPE: content},
    }


def _run_bodies() -> dict[str, Any]:
    """JSON with rows, or a form with a file; a form writes lists as repeated fields."""
    fields = FileRequest.model_json_schema(ref_template=_REF)
    fields.pop("$defs", None)
    file = {"type": "string", "contentMediaType": "application/octet-stream"}
    about = "A data file (.jsonl .json .csv .tsv .parquet .xlsx, text also as .gz)."
    fields["properties"] = {
        "data": file | {"description": about},
        **fields["properties"],
        "judges": {"type": "array", "items": {"type": "string"}, "minItems": 1}
        | {"description": "Names of offered judges, or definitions as JSON."},
        "map": _json_text("Which field feeds which input."),
        "tags": _json_text("Notes on the run, by name."),
    }
    fields["required"] = ["data", "judges"]
    return {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": _REF.format(model="RowsRequest")}},
            "multipart/form-data": {"schema": fields},
        },
    }


def _json_text(about: str) -> dict[str, str]:
    return {"type": "string", "contentMediaType": "application/json", "description": about}
