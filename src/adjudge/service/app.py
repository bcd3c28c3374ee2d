"""The application: what is served where."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from adjudge import __version__
from adjudge.stores.registry import open_store

from .offered import OfferedJudges
from .options import ServeOptions
from .pages import language
from .state import Service


def create_app(options: ServeOptions) -> FastAPI:
    """The application over one store; the store is opened here and closed when it ends."""
    service = Service(
        options=options,
        store=open_store(options.store),
        judges=OfferedJudges(options.judges),
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            service.store.close()

    app = FastAPI(
        title="adjudge",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # FastAPI's pages load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    app.state.service = service
    # The pages.
    app.include_router(language.router)
    static = files(__package__).joinpath("static")
    app.mount("/static", StaticFiles(directory=str(static)), name="static")
    # The API below /api/v1.
    # Security: see security/.
    return app
