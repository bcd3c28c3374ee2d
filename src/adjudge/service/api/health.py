"""Whether the service is there, and its figures."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import PlainTextResponse, Response

from adjudge import __version__
from adjudge.service.state import service_of

from .json_route import READ, Json
from .schemas.health import Health

health = APIRouter()
metrics = APIRouter(dependencies=[READ])


@health.get("/healthz", response_model=Health, summary="Whether the store can be read")
def healthz(request: Request) -> Response:
    """Open to everybody; says nothing about what the store holds."""
    service_of(request).store.jobs.find("")
    return Json({"status": "ok", "version": __version__})


@metrics.get("/metrics", response_class=PlainTextResponse, summary="Figures for Prometheus")
def figures(request: Request) -> Response:
    return Response(service_of(request).figures.text(), media_type=CONTENT_TYPE_LATEST)
