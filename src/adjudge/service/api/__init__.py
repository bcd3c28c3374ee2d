"""The HTTP API below /api/v1: a module per resource, and `install`, which serves them all.

`bodies` reads and writes JSON, `request_models` and `response_models` describe the bodies,
`problems` says what went wrong, `openapi` describes all of it.
"""

from fastapi import FastAPI

from . import admin, events, judges, labels, runs
from .openapi import describe

__all__ = ["install"]


def install(app: FastAPI) -> None:
    parts = (part.router for part in (judges, runs, events, labels, admin))
    routers = [*parts, admin.health, admin.metrics]
    for router in routers:
        app.include_router(router)
    describe(app, routers)
