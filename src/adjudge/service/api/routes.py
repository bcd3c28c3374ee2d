"""All of the API, put together."""

from __future__ import annotations

from fastapi import FastAPI

from . import events, health, judges, labels, run_deletion, runs, tokens, verdicts
from .openapi import describe


def install(app: FastAPI) -> None:
    parts = (part.router for part in (judges, runs, run_deletion, verdicts, events, labels, tokens))
    routers = [*parts, health.health, health.metrics]
    for router in routers:
        app.include_router(router)
    describe(app, routers)
