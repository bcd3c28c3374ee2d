"""The two forms of a request for a run: JSON with rows in it, or a form with a data file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO, TypeVar

import orjson
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.service.jobs import JobService, JobSpec
from adjudge.service.judging import InlineJudge, load_inline_judge

from .json_route import media_type
from .request_models import RowsRequest, RunRequest

_PIECE = 2**20
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
            yield _checked(RunRequest, fields, strict=False), file
    else:
        raise HTTPException(
            415, "Send application/json with rows, or multipart/form-data with data."
        )


def job_spec(body: RunRequest, file: UploadFile | None, jobs: JobService) -> JobSpec:
    """What is to be done, once data and judges that came along are kept where the run finds them;
    blocks."""
    judges = tuple(
        jobs.check_offered(judge) if isinstance(judge, str) else _keep_judge(judge.definition, jobs)
        for judge in body.judges
    )
    if isinstance(body, RowsRequest):
        name, data = _ROWS, jobs.uploads.keep_rows(body.rows)
    elif file is not None:
        name = _bare(file.filename or "")
        data = jobs.uploads.keep(_pieces(file.file), name)
    else:
        raise AssertionError("a form has a file")
    return JobSpec(
        data=data,
        title=body.title or name,
        judges=judges,
        models=tuple(body.models or jobs.models[:1]),
        options=body.options(),
    )


def _keep_judge(text: str, jobs: JobService) -> str:
    load_inline_judge(InlineJudge(text))  # says what is wrong with it, by its lines
    return jobs.uploads.keep_judge(text)


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


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece


def _bare(name: str) -> str:
    """A file's name without folders and without characters that cannot be shown."""
    bare = PurePosixPath(PureWindowsPath(name).name).name
    return "".join(sign for sign in bare if sign.isprintable())[:200] or "data"
