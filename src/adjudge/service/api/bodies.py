"""How bodies are read and written: JSON as RFC 8259 has it, without NaN, half characters or endless
nesting; a run also as a form with a data file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, TypeVar

import orjson
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from adjudge.core.reason import Reason
from adjudge.datasets.base import ENCODING
from adjudge.errors import UsageError
from adjudge.service.jobs import JobSpec, pieces_of
from adjudge.service.judging import InlineJudge, load_inline_judge
from adjudge.service.state import Service

from .request_models import FileRequest, RowsRequest, RunRequest

PREFIX = "/api/v1"
_MODEL = "adjudge.body"  # in the scope of a request
_AT_ONCE = 2**18  # bytes that are read without a thread
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class JsonRequest(Request):
    async def json(self) -> Any:
        """A long body is checked here too, in a thread; the checked one is checked no more."""
        body = await self.body()
        if len(body) <= _AT_ONCE:
            return orjson.loads(body)
        return await run_in_threadpool(_model_or_body, body, self.scope[_MODEL])


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


def _model_or_body(body: bytes, model: type[BaseModel]) -> Any:
    """The model, or the bare body where it does not fit: FastAPI says so then."""
    sent = orjson.loads(body)
    try:
        return model.model_validate(sent)
    except ValidationError:
        return sent


def media_type(request: Request) -> str:
    """Without its parameters, in lower case; "" where the request does not say."""
    return request.headers.get("content-type", "").partition(";")[0].strip().casefold()


class JsonResponse(Response):
    """A body that was made with care: it is not looked at again before it is sent."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content)


_FIELDS = 100
_LISTS = frozenset({"judges", "models"})
_OBJECTS = frozenset({"map", "tags"})
T = TypeVar("T", bound=BaseModel)
_ROWS = "rows.jsonl"  # what rows without a title are called


@asynccontextmanager
async def run_request(request: Request) -> AsyncIterator[tuple[RunRequest, UploadFile | None]]:
    """What was asked for, checked as far as the form goes; the file where it is a form."""
    kind = media_type(request)
    if kind == "application/json":
        text = await request.body()
        # Many rows take long to read, and requests must not wait for that.
        yield await run_in_threadpool(_read, text), None
    elif kind == "multipart/form-data":
        async with request.form(max_files=1, max_fields=_FIELDS) as form:
            fields, file = _fields(form)
            yield _checked(FileRequest, fields, strict=False), file
    else:
        raise HTTPException(
            415, "Send application/json with rows, or multipart/form-data with data."
        )


def job_spec(body: RunRequest, file: UploadFile | None, service: Service) -> JobSpec:
    """What is to be done, once data and judges that came along are kept where the run finds them;
    blocks."""
    uploads, offered = service.jobs.uploads, service.judges
    judges = []
    for judge in body.judges:
        if isinstance(judge, str):
            judges.append(offered.get(judge).name)
        else:
            load_inline_judge(InlineJudge(judge.definition))  # says what is wrong, by its lines
            judges.append(uploads.keep_judge(judge.definition))
    if isinstance(body, RowsRequest):
        name, data = _ROWS, uploads.keep_rows(body.rows)
    elif file is not None and isinstance(body, FileRequest):
        name = _bare(file.filename or "")
        part = f"{ENCODING}{body.encoding}" if body.encoding else ""
        data = uploads.keep(pieces_of(file.file), name, part)
    else:
        raise AssertionError("a form has a file")
    return JobSpec(
        data=data,
        title=body.title or name,
        judges=tuple(judges),
        models=tuple(body.models or service.judging.models[:1]),
        options=body.options(),
    )


def _read(text: bytes) -> RowsRequest:
    try:
        body = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        problem = {"type": "json_invalid", "loc": ("body", error.pos), "msg": error.msg}
        raise RequestValidationError([problem]) from None
    return _checked(RowsRequest, body, strict=True)


def _checked(model: type[T], body: object, *, strict: bool) -> T:
    try:
        return model.model_validate(body, strict=strict)
    except ValidationError as error:
        problems = [
            {"type": problem["type"], "loc": ("body", *problem["loc"]), "msg": problem["msg"]}
            for problem in error.errors(
                include_url=False, include_context=False, include_input=False
            )
        ]
        raise RequestValidationError(problems) from None


def _fields(form: FormData) -> tuple[dict[str, Any], UploadFile]:
    """The fields of a form as JSON would have them, and its file."""
    file = form.get("data")
    if not isinstance(file, UploadFile):
        raise UsageError(Reason("form.no_file"))
    fields: dict[str, Any] = {}
    for name in form:
        values = [value for value in form.getlist(name) if isinstance(value, str)]
        if name in _LISTS:
            fields[name] = [_object(name, value) if value[:1] == "{" else value for value in values]
        elif values and name != "data":
            fields[name] = _object(name, values[-1]) if name in _OBJECTS else values[-1]
    return fields, file


def _object(name: str, text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UsageError(Reason("form.no_json", name=name, why=str(error))) from None


def _bare(name: str) -> str:
    """A file's name without folders and without characters that cannot be shown."""
    bare = PurePosixPath(PureWindowsPath(name).name).name
    return "".join(sign for sign in bare if sign.isprintable())[:200] or "data"
