"""Starting a run: judge, model and data are chosen on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from adjudge.core.reason import Reason
from adjudge.datasets import FORMATS
from adjudge.datasets.textfile import GZIP_ENDING as GZIP
from adjudge.errors import AdjudgeError, UsageError
from adjudge.service.api.problems import refusal
from adjudge.service.jobs import JobSpec, pieces_of
from adjudge.service.security.access import JUDGE, token_id_of
from adjudge.service.state import Service, service_of
from adjudge.stores import KeptJob

from .rendering import ProblemLine, page, whole_number

router = APIRouter(include_in_schema=False, dependencies=[JUDGE])

LANGUAGES = ("en", "ko", "vi")  # of explanations, to choose from; any other can be written
_PASTED = 8_000_000  # bytes; larger data come as a file


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What was filled in, as texts; a file cannot be filled in again."""

    judges: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    rows: str = ""
    limit: str = ""
    repeat: str = ""
    explain_in: str = ""
    budget: str = ""
    map: str = ""
    skip_bad_rows: bool = False
    no_texts: bool = False
    file: UploadFile | None = field(default=None, repr=False)


@router.get("/runs/new")
def show(request: Request) -> Response:
    """`judge=NAME` chooses one beforehand."""
    service = service_of(request)
    chosen = tuple(request.query_params.getlist("judge"))
    return _page(request, Form(judges=chosen, models=service.judging.models[:1]))


@router.post("/runs")
async def start(request: Request) -> Response:
    """Leads to the run; or shows the form again with what is wrong, before anything is spent.

    A script that asks for JSON is told the same, and keeps the file that was chosen.
    """
    async with request.form(max_part_size=_PASTED) as data:
        form = _form(data)
        return await run_in_threadpool(_start, request, form)


def _start(request: Request, form: Form) -> Response:
    service = service_of(request)
    wants_json = request.headers.get("accept") == "application/json"
    try:
        with service.jobs.uploads.request():
            job = _submitted(request, service, form)
        # A job that has finished at once had nothing to do.
        where = f"/runs/{job.run}" + ("?already=1" if job.state == "finished" else "")
    except AdjudgeError as error:
        status, lines = refusal(request, error, in_form=True)
        if wants_json:  # with 200: what is refused, browsers write to the console as an error
            return JSONResponse({"problem": [asdict(line) for line in lines]})
        return _page(request, form, status, lines)
    return JSONResponse({"run": where}) if wants_json else RedirectResponse(where, 303)


def _submitted(request: Request, service: Service, form: Form) -> KeptJob:
    if not form.judges:
        raise UsageError(Reason("form.no_judge"))
    for name in form.judges:
        service.judges.get(name)
    options = _options(form)
    if form.file is not None and form.file.filename:
        if form.rows.strip():
            raise UsageError(Reason("form.two_data"))
        title = PurePath(form.file.filename.replace("\\", "/")).name
        data = service.jobs.uploads.keep(pieces_of(form.file.file), title)
    elif form.rows.strip():
        title = f"pasted{_ending(form.rows)}"
        data = service.jobs.uploads.keep([form.rows.encode()], title)
    else:
        raise UsageError(Reason("form.no_data"))
    spec = JobSpec(
        data=data,
        title=title,
        judges=form.judges,
        models=form.models or service.judging.models[:1],
        options=options,
    )
    return service.jobs.submit(spec, token_id_of(request))


def _options(form: Form) -> dict[str, Any]:
    """Fields of RunOptions; what was left empty stays as the command line has it."""
    options: dict[str, Any] = {}
    for name, text in (("limit", form.limit), ("repeat", form.repeat)):
        if text.strip():
            options[name] = whole_number(text)
            if options[name] is None:
                flag = Reason("option", name=name)
                raise UsageError(Reason("form.whole_number", flag=flag, text=text))
    for name, text in (("explain_in", form.explain_in), ("budget", form.budget)):
        if text.strip():
            options[name] = text.strip()
    if form.map.strip():
        options["map"] = _mapping(form.map)
    if form.skip_bad_rows:
        options["skip_bad_rows"] = True
    if form.no_texts:
        options["keep"] = "scores"
    return options


def _mapping(text: str) -> dict[str, str]:
    """Lines like answer=column; quotes around one are those of a message, and do not count."""
    mapping: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        bare = line[1:-1] if line[0] == line[-1] == "'" and len(line) > 1 else line
        name, is_there, column = bare.partition("=")
        if not (is_there and name.strip() and column.strip()):
            raise UsageError(Reason("form.map", text=line))
        mapping[name.strip()] = column.strip()
    return mapping


def _ending(rows: str) -> str:
    """What pasted rows look like: JSON lines, a JSON list, tabs as spreadsheets copy them, CSV."""
    first = rows.lstrip("\ufeff \r\n").partition("\n")[0]
    if first.startswith("{"):
        return ".jsonl"
    if first.startswith("["):
        return ".json"
    return ".tsv" if "\t" in first else ".csv"


def _form(data: FormData) -> Form:
    def text(name: str) -> str:
        value = data.get(name)
        return value if isinstance(value, str) else ""

    def texts(name: str) -> tuple[str, ...]:
        return tuple(value for value in data.getlist(name) if isinstance(value, str) and value)

    file, names = data.get("file"), ("rows", "limit", "repeat", "explain_in", "budget", "map")
    return Form(
        judges=texts("judge"),
        models=texts("model"),
        **{name: text(name) for name in names},
        skip_bad_rows=bool(text("skip_bad_rows")),
        no_texts=bool(text("no_texts")),
        file=file if isinstance(file, UploadFile) else None,
    )


def _page(
    request: Request, form: Form, status: int = 200, problem: Sequence[ProblemLine] = ()
) -> Response:
    service = service_of(request)
    return page(
        request,
        "new_run",
        status,
        form=form,
        judges=service.judges.judges,
        models=service.judging.models,
        languages_offered=LANGUAGES,
        endings=",".join([*(ending for known in FORMATS for ending in known.endings), GZIP]),
        problem=problem,
        most=service.options.body,
    )
