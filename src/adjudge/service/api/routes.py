"""All of the API, put together."""

from __future__ import annotations

from fastapi import FastAPI

from . import events, health, judges, labels, runs, verdicts
from .openapi import describe


def install(app: FastAPI) -> None:
    for part in (judges, runs, verdicts, events, labels):
        app.include_router(part.router)
    app.include_router(health.health)
    app.include_router(health.metrics)
    describe(app)
