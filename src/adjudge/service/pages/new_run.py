"""Starting a run in three steps: a file is sent; its rows, a judge and its columns are looked at;
a model is chosen with what it will cost. Each step is an address, and nothing is spent before the
last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import PurePath
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from adjudge.core.judge import Input
from adjudge.core.reason import Reason
from adjudge.datasets import (
    FORMATS,
    BadRow,
    FileLook,
    ProposedColumns,
    Source,
    kept_rows,
    merge_inputs,
    propose_columns,
)
from adjudge.datasets.encodings import CHOICES, spoken
from adjudge.datasets.textfile import GZIP_ENDING as GZIP
from adjudge.errors import AdjudgeError, DataError, UsageError
from adjudge.models.prices import Price
from adjudge.running import Forecast
from adjudge.service.api.problems import refusal
from adjudge.service.jobs import pieces_of
from adjudge.service.security.access import JUDGE, token_id_of
from adjudge.service.state import Service, service_of

from .new_run_form import Form, form_of, job_of, paths_of
from .rendering import ProblemLine, page, strings_of

router = APIRouter(include_in_schema=False, dependencies=[JUDGE])

LANGUAGES = ("en", "ko", "vi")  # of explanations, to choose from; any other can be written
_PASTED = 8_000_000  # bytes; larger data come as a file
_LOOKED_AT = 50  # rows that columns are found by
_SHOWN, _CELL = 5, 200  # rows, and signs of a cell
_FORESEEN = 40  # rows that stand for all in a forecast


@dataclass(frozen=True, slots=True)
class FirstRows:
    """The data as they are read now: the `first` rows, and how many there are, `broken` ones
    among them."""

    kept: str
    header: Sequence[str]
    first: Sequence[Mapping[str, object]]
    count: int
    broken: int


@dataclass(slots=True)
class Setup:
    """What could be found out about what is chosen, and the `error` that ended it, which would keep
    the run from starting. `share` is how many times as many rows there are as the forecast saw."""

    look: FileLook
    rows: FirstRows | None = None
    inputs: Mapping[str, Input] = field(default_factory=dict)
    columns: ProposedColumns | None = None
    forecast: Forecast | None = None
    share: float = 1.0
    error: AdjudgeError | None = None


@router.get("/runs/new")
def show(request: Request) -> Response:
    """The first step; with `data` in the address the other two. `judge=NAME` chooses one."""
    service = service_of(request)
    form = form_of(request.query_params)
    if not form.models:
        form = replace(form, models=service.judging.models[:1])
    return _page(request, form)


@router.post("/runs/new")
async def send(request: Request) -> Response:
    """Keeps the file, or the rows that were pasted, and leads to the next step; or, without a
    script, to the same step with what was chosen there."""
    async with request.form(max_part_size=_PASTED) as data:
        return await run_in_threadpool(_send, request, data)


@router.post("/runs")
async def start(request: Request) -> Response:
    """Leads to the run; or shows the form again with what is wrong, before anything is spent. A
    script that asks for JSON is told the same."""
    async with request.form() as data:
        return await run_in_threadpool(_start, request, data)


def _send(request: Request, data: FormData) -> Response:
    service = service_of(request)
    form = form_of(data)
    if form.data:
        texts = [(name, text) for name, text in data.multi_items() if isinstance(text, str)]
        chosen = urlencode([(name, text) for name, text in texts if name != "csrf" and text])
        return _done(request, f"/runs/new?{chosen}")
    try:
        with service.jobs.uploads.request():
            kept, title = _kept(service, data)
            _refuse_empty(service, replace(form, data=kept, title=title))
    except AdjudgeError as error:
        return _refused(request, form, error, data.get("rows"))
    fields = [("data", kept), ("title", title), *(("judge", name) for name in form.judges)]
    return _done(request, f"/runs/new?{urlencode(fields)}")


def _kept(service: Service, data: FormData) -> tuple[str, str]:
    """Under which name the data are kept, and what they are called."""
    file, rows = data.get("file"), data.get("rows")
    pasted = rows if isinstance(rows, str) and rows.strip() else ""
    uploads = service.jobs.uploads
    if isinstance(file, UploadFile) and file.filename:
        if pasted:
            raise UsageError(Reason("form.two_data"))
        title = PurePath(file.filename.replace("\\", "/")).name
        return uploads.keep_sent(pieces_of(file.file), title), title
    if not pasted:
        raise UsageError(Reason("form.no_data"))
    title = f"pasted{_ending(pasted)}"
    return uploads.keep_sent([pasted.encode()], title), title


def _refuse_empty(service: Service, form: Form) -> None:
    """DataError where there is nothing to choose: the file cannot be read, or has no row."""
    look = service.jobs.uploads.look(form.data, form.title)
    if not look.tables and not look.encoding:
        _rows(service, form)


def _start(request: Request, data: FormData) -> Response:
    service = service_of(request)
    form = form_of(data)
    try:
        with service.jobs.uploads.request():
            chosen = _chosen(form, service.jobs.uploads.look(form.data, form.title))
            rows = service.jobs.uploads.keep_table(form.data, form.title, chosen.part)
            job = service.jobs.submit(job_of(form, service, rows), token_id_of(request))
    except AdjudgeError as error:
        return _refused(request, form, error)
    # A job that has finished at once had nothing to do.
    return _done(request, f"/runs/{job.run}" + ("?already=1" if job.state == "finished" else ""))


def _wants_json(request: Request) -> bool:
    return request.headers.get("accept") == "application/json"


def _done(request: Request, where: str) -> Response:
    return JSONResponse({"next": where}) if _wants_json(request) else RedirectResponse(where, 303)


def _refused(request: Request, form: Form, error: AdjudgeError, pasted: object = "") -> Response:
    status, lines = refusal(request, error, in_form=True)
    if _wants_json(request):  # with 200: what is refused, browsers write to the console as an error
        return JSONResponse({"problem": [asdict(line) for line in lines]})
    return _page(request, form, status, lines, pasted if isinstance(pasted, str) else "")


def _ending(rows: str) -> str:
    """What pasted rows look like: JSON lines, a JSON list, tabs as spreadsheets copy them, CSV."""
    first = rows.lstrip("\ufeff \r\n").partition("\n")[0]
    if first.startswith("{"):
        return ".jsonl"
    if first.startswith("["):
        return ".json"
    return ".tsv" if "\t" in first else ".csv"


def _page(
    request: Request,
    form: Form,
    status: int = 200,
    problem: Sequence[ProblemLine] = (),
    pasted: str = "",
) -> Response:
    service = service_of(request)
    if form.data:
        try:
            look = service.jobs.uploads.look(form.data, form.title)
        except AdjudgeError as error:  # the file is gone, or none that can be read
            status, problem = refusal(request, error, in_form=True)
        else:
            return _setup_page(request, form, look, status, problem)
    return page(
        request,
        "new_run",
        status,
        form=form,
        pasted=pasted,
        endings=",".join([*(ending for known in FORMATS for ending in known.endings), GZIP]),
        problem=problem,
        most=service.options.body,
    )


def _setup_page(
    request: Request, form: Form, look: FileLook, status: int, problem: Sequence[ProblemLine]
) -> Response:
    service, form = service_of(request), _chosen(form, look)
    setup = _setup(service, form, look)
    lacking = refusal(request, setup.error, in_form=True).lines if setup.error else ()
    return page(
        request,
        "new_run_setup",
        status,
        form=form,
        setup=setup,
        problem=problem or lacking,
        refused=bool(problem),
        models={name: _price(service, name) for name in service.judging.models},
        languages_offered=LANGUAGES,
        encodings={name: strings_of(request).reason(spoken(name)) for name in CHOICES},
        shown_rows=_SHOWN,
        longest=_CELL,
    )


def _chosen(form: Form, look: FileLook) -> Form:
    """The first of several tables, and the likeliest encoding, until somebody chooses."""
    table = form.table or (look.tables[0] if len(look.tables) > 1 else "")
    return replace(form, table=table, encoding=form.encoding or look.encoding or "")


def _setup(service: Service, form: Form, look: FileLook) -> Setup:
    setup = Setup(look)
    try:
        setup.rows = rows = _rows(service, form)
        setup.inputs = merge_inputs(service.judges.get(name).inputs for name in form.judges)
        setup.columns = propose_columns(
            rows.first, setup.inputs, {**form.columns, **paths_of(form)}
        )
        if form.judges:
            chosen = {**setup.columns.proposed, **setup.columns.asked}
            spec = job_of(replace(form, columns=chosen), service, rows.kept)
            most = int(spec.options.get("limit") or rows.count)
            sample = {"limit": min(_FORESEEN, most), "skip_bad_rows": True}
            part = replace(spec, options={**spec.options, **sample})
            setup.forecast = service.jobs.forecast(part)
            setup.share = min(rows.count - rows.broken, most) / max(setup.forecast.rows, 1)
    except AdjudgeError as error:
        setup.error = error
    return setup


def _rows(service: Service, form: Form) -> FirstRows:
    uploads = service.jobs.uploads
    kept = uploads.keep_table(form.data, form.title, form.part)
    read = list(islice(kept_rows.read(Source(uploads.path(kept))), _LOOKED_AT))
    good = [row[1] for row in read if not isinstance(row, BadRow)]
    with uploads.path(kept).open("rb") as file:
        broken = [line.partition(b",")[2][:1] == b"[" for line in file]
    if not broken:
        raise DataError(Reason("file.no_rows").in_file(form.title))
    header = dict.fromkeys(column for row in good for column in row)
    return FirstRows(kept, list(header), good, len(broken), sum(broken))


def _price(service: Service, name: str) -> Price | None:
    """What the model costs; None where that is not known, or it cannot be opened."""
    try:
        return service.judging.open(name).price
    except AdjudgeError:
        return None
