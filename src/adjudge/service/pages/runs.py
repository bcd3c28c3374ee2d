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

from .figures import between
from .progress import RunProgress, progress_of
from .rendering import page
from .run_figures import RunFigures, figures_of
from .run_query import query_of

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
    records = service.store.runs()
    pages = max(1, -(-len(records) // _SIZE))
    number = min(max(1, query_of(request.query_params).page), pages)
    shown = records[(number - 1) * _SIZE : number * _SIZE]
    until = time.monotonic() + _PATIENCE
    return page(
        request,
        "runs",
        lines=[_line(service, record, until) for record in shown],
        total=len(records),
        number=number,
        pages=pages,
    )


@router.get("/runs")
def back() -> Response:
    """Where forms are sent to; who reads it looks for the list."""
    return RedirectResponse("/", 303)


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
        lasted=between(record.started, record.ended),
    )
