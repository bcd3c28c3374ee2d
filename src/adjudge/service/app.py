"""The application: what is served where."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.staticfiles import StaticFiles

from adjudge import __version__
from adjudge.models import registry as models
from adjudge.settings import dotenv

from . import api, middleware
from .api import problems
from .options import ServeOptions
from .pages import (
    beside,
    compare,
    improve,
    item,
    judge_edit,
    judges,
    label,
    label_team,
    login,
    new_run,
    plots,
    probe,
    run,
    run_files,
    runs,
    trust,
)
from .pages.rendering import prepare
from .state import Service, open_service

# FastAPI can report to an OpenTelemetry collector, and would take one from the environment.
_NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
# Routes are tried in this order: /runs/new comes before /runs/{run_id}.
_PAGES = (
    login,
    runs,
    new_run,
    run,
    plots,
    run_files,
    item,
    label,
    label_team,
    compare,
    beside,
    improve,
    trust,
    judge_edit,
    probe,
    judges,
)


def create_app(options: ServeOptions) -> FastAPI:
    """The application over one store; the store is opened here and closed when it ends."""
    dotenv.load(models.providers)
    service = open_service(options)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(service.jobs.resume)
        ending = asyncio.create_task(_drain(service))
        preparing = asyncio.create_task(asyncio.to_thread(prepare))
        try:
            yield
        finally:
            service.stopping.set()
            await preparing
            await ending
            await service.judging.aclose()
            service.store.close()

    app = FastAPI(
        title="adjudge",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # FastAPI's pages load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        telemetry=_NO_TELEMETRY,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.service = service
    problems.install(app)
    api.install(app)  # before the pages: routes are tried in turn, and these must be fast
    for module in _PAGES:
        app.include_router(module.router)
    static = files(__package__).joinpath("static")
    app.mount("/static", StaticFiles(directory=str(static)), name="static")
    middleware.install(app, service)
    return app


async def _drain(service: Service) -> None:
    """Runs begin to end as soon as the service is told to, beside the requests under way."""
    await service.stopping.wait()
    seconds = service.options.waits.jobs
    await asyncio.gather(
        asyncio.to_thread(service.probes.close, seconds),
        asyncio.to_thread(service.jobs.close, seconds),
    )
