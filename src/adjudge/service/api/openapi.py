"""The description of the API, as OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from . import problems, schemas

_ABOUT = """Grades texts with a language model as the judge.

Errors are `application/problem+json` (RFC 9457). A judgment that failed is no error: it has an
outcome other than `scored`, and no value.

On one's own machine no token is needed. Elsewhere send `Authorization: Bearer TOKEN`; `adjudge
tokens new` makes one. Scopes: read looks, judge also judges, labels and starts runs, admin all.
"""
_REF = "#/components/schemas/{model}"


def describe(app: FastAPI) -> None:
    """The description is made once, when it is first asked for."""

    def made() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _description(app)
        return app.openapi_schema

    app.openapi = made  # type: ignore[method-assign]  # FastAPI's own way to do this


def _description(app: FastAPI) -> dict[str, Any]:
    told = get_openapi(
        title="adjudge",
        version=app.version,
        description=_ABOUT,
        routes=app.routes,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    parts = told["components"]
    for name in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(name, None)
    for model in (schemas.Problem, schemas.RowsRequest):
        _add(parts["schemas"], model)
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, operations in told["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = _problem()
            if path != "/healthz":
                operation["security"] = [{}, {"token": []}]
    told["paths"]["/api/v1/runs"]["post"]["requestBody"] = _run_bodies()
    return told


def _add(parts: dict[str, Any], model: type[Any]) -> None:
    schema = model.model_json_schema(ref_template=_REF)
    parts |= schema.pop("$defs", {})
    parts[model.__name__] = schema


def _problem() -> dict[str, Any]:
    content = {"schema": {"$ref": _REF.format(model="Problem")}}
    return {"description": "What went wrong.", "content": {problems.MEDIA_TYPE: content}}


def _run_bodies() -> dict[str, Any]:
    """JSON with rows, or a form with a file; a form writes lists as repeated fields."""
    fields = schemas.RunRequest.model_json_schema(ref_template=_REF)
    fields.pop("$defs", None)
    file = {"type": "string", "contentMediaType": "application/octet-stream"}
    about = "A data file (.jsonl .json .csv .tsv .parquet .xlsx, text also as .gz)."
    fields["properties"] = {
        "data": file | {"description": about},
        **fields["properties"],
        "judges": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "map": {"type": "string", "contentMediaType": "application/json"},
        "tags": {"type": "string", "contentMediaType": "application/json"},
    }
    fields["required"] = ["data", "judges"]
    return {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": _REF.format(model="RowsRequest")}},
            "multipart/form-data": {"schema": fields},
        },
    }
