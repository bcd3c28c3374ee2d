"""What all requests share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from starlette.requests import HTTPConnection

from adjudge.kept_run import Run
from adjudge.stores.base import Store

from .offered import OfferedJudges
from .options import ServeOptions


@dataclass(slots=True, kw_only=True)
class Service:
    """`store` blocks: handlers that use it are plain functions, which run in a thread."""

    options: ServeOptions
    store: Store
    judges: OfferedJudges

    def run(self, run_id: str) -> Run:
        """By id, by a unique beginning of it, or "latest"; UsageError for any other."""
        return Run(self.store.find(run_id), self.store)


def service_of(request: HTTPConnection) -> Service:
    return cast(Service, request.app.state.service)
