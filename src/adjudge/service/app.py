"""The application: what is served where."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
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
    judge_import,
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
from .pages.rendering import load_large, prepare
from .state import Service, open_service

# FastAPI can report to an OpenTelemetry collector, and would take one from the environment.
_NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
_LATER = 3.0  # seconds
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
    judge_import,
    probe,
    judges,
)


def create_app(options: ServeOptions) -> FastAPI:
    """The application over one store; the store is opened here and closed when it ends."""
    dotenv.load(models.providers)
    service = open_service(options)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        prepare()  # before anybody can ask
        await asyncio.to_thread(service.jobs.resume)
        ending = asyncio.create_task(_drain(service))
        loading = asyncio.create_task(_load_later(service))
        try:
            yield
        finally:
            service.stopping.set()
            await loading
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


async def _load_later(service: Service) -> None:
    """Not beside the first requests, which it would hold up."""
    with suppress(TimeoutError):
        await asyncio.wait_for(service.stopping.wait(), _LATER)
    if not service.stopping.is_set():
        await asyncio.to_thread(load_large)


async def _drain(service: Service) -> None:
    """Runs begin to end as soon as the service is told to, beside the requests under way."""
    await service.stopping.wait()
    seconds = service.options.waits.jobs
    await asyncio.gather(
        asyncio.to_thread(service.probes.close, seconds),
        asyncio.to_thread(service.jobs.close, seconds),
    )
