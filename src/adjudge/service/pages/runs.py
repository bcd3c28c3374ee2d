"""All runs, the latest first."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from adjudge.service.security.access import needs
from adjudge.service.state import Service, service_of
from adjudge.stores.records import RunRecord

from .paging import paged
from .progress import RunProgress, lasted, progress_of
from .rendering import page
from .run_figures import RunFigures, figures_of

router = APIRouter(include_in_schema=False, dependencies=[Depends(needs("read"))])

_SIZE = 25
# Seconds that a page may take for the figures of runs that it has not seen yet; the script of the
# page asks for the others, one by one.
_PATIENCE = 0.1
_QUICK = 5000  # rows: the figures of fewer take some milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """`figures` is None where they are still to be worked out."""

    record: RunRecord
    state: str
    progress: RunProgress | None
    figures: RunFigures | None
    lasted: float | None


@router.get("/")
def show(request: Request) -> Response:
    service = service_of(request)
    found = paged(request, service.store.runs(), _SIZE)
    until = time.monotonic() + _PATIENCE
    return page(
        request,
        "runs",
        lines=[_line(service, record, until) for record in found.shown],
        paged=found,
    )


@router.get("/runs")
def back() -> Response:
    """Where forms are sent to; who reads it looks for the list."""
    return RedirectResponse("/", 303)


@router.get("/runs/progress")
def progress(request: Request) -> Response:
    """How far the runs are that `run=` names, by id; one that has ended is not among them. For a
    list that shows more of them under way than a browser keeps streams open for."""
    store, wanted = service_of(request).store, request.query_params.getlist("run")[:_SIZE]
    told = {}
    for record in store.runs():
        if record.id in wanted and (found := progress_of(store, record)):
            told[record.id] = asdict(found) | {"usd": record.usd}
    return JSONResponse(told)


@router.get("/runs/{run_id}/figures")
def figures(request: Request, run_id: str) -> Response:
    """For the script of the page."""
    service = service_of(request)
    overview = service.indexes.overview(service.store.find(run_id))
    return JSONResponse(asdict(figures_of(overview)))


def _line(service: Service, record: RunRecord, until: float) -> _Line:
    overview = service.indexes.known_overview(record)
    if overview is None and record.rows <= _QUICK and time.monotonic() < until:
        overview = service.indexes.overview(record)
    return _Line(
        record=record,
        state=service.jobs.state_of(record.id) or record.state,
        progress=progress_of(service.store, record),
        figures=None if overview is None else figures_of(overview),
        lasted=lasted(record),
    )
