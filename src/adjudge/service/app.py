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

from .api import problems, routes
from .observing.requests import Observed
from .options import ServeOptions
from .pages import (
    compare,
    compare_plots,
    item,
    judges,
    label,
    language,
    login,
    new_run,
    run,
    run_files,
    run_plots,
    runs,
    trust,
    trust_plots,
)
from .pages.rendering import prepare
from .security.install import check_start, install_guard, install_outermost
from .state import Service, open_service
from .work.jobs import DRAIN

# FastAPI can report to an OpenTelemetry collector, and would take one from the environment.
_NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


def create_app(options: ServeOptions) -> FastAPI:
    """The application over one store; the store is opened here and closed when it ends."""
    dotenv.load(models.providers)
    service = open_service(options)
    check_start(service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(service.jobs.go_on)
        ending = asyncio.create_task(_drain(service))
        preparing = asyncio.create_task(asyncio.to_thread(prepare))
        try:
            yield
        finally:
            service.stopping.set()
            await preparing
            await ending
            await service.desk.aclose()
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
    routes.install(app)  # before the pages: routes are tried in turn, and these are in a hurry
    app.include_router(language.router)
    app.include_router(login.router)
    for each in (runs, new_run, run, run_plots, run_files, item):
        app.include_router(each.router)
    app.include_router(label.router)
    app.include_router(compare.router)
    app.include_router(compare_plots.router)
    app.include_router(trust.router)
    app.include_router(trust_plots.router)
    app.include_router(judges.router)
    static = files(__package__).joinpath("static")
    app.mount("/static", StaticFiles(directory=str(static)), name="static")
    # What is added last is outermost.
    install_guard(app, service)
    app.add_middleware(Observed, figures=service.figures)
    install_outermost(app)
    return app


async def _drain(service: Service) -> None:
    """Runs begin to end as soon as the service is told to, beside the requests under way."""
    await service.stopping.wait()
    await asyncio.to_thread(service.jobs.close, DRAIN)
