"""What all requests share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import cast

from starlette.requests import HTTPConnection

from adjudge.analysis.browsing.shelf import RunIndexes
from adjudge.analysis.browsing.slicing import Slices
from adjudge.kept_run import Run
from adjudge.stores.base import Store
from adjudge.stores.registry import open_store

from .calibrated import CalibratedRuns
from .compared import ComparedRuns
from .label_queues import LabelQueues
from .observing.figures import Figures
from .offered import OfferedJudges
from .options import ServeOptions
from .work.desk import Desk
from .work.jobs import Jobs
from .worked_out import WorkedOut

_SLICED = 32  # columns of runs whose slices are kept ready


@dataclass(slots=True, kw_only=True)
class Service:
    """`store` blocks: handlers that use it are plain functions, which run in a thread.

    `stopping` is set, in the loop of the server, when the service is to end.
    """

    options: ServeOptions
    store: Store
    judges: OfferedJudges
    figures: Figures
    indexes: RunIndexes
    calibrated: CalibratedRuns
    compared: ComparedRuns
    sliced: WorkedOut[Slices]
    label_queues: LabelQueues
    desk: Desk
    jobs: Jobs
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def run(self, run_id: str) -> Run:
        """By id, by a unique beginning of it, or "latest"; UsageError for any other."""
        return Run(self.store.find(run_id), self.store)


def open_service(options: ServeOptions) -> Service:
    """Everything that can be wrong with the options is said here."""
    judges = OfferedJudges(options.judges)
    store, figures = open_store(options.store), Figures()
    desk = Desk(options, judges, store.secret, figures.verdict)
    return Service(
        options=options,
        store=store,
        judges=judges,
        indexes=RunIndexes(store),
        calibrated=CalibratedRuns(store),
        compared=ComparedRuns(store),
        sliced=WorkedOut(_SLICED),
        label_queues=LabelQueues(store),
        figures=figures,
        desk=desk,
        jobs=Jobs(options, store, judges, desk, figures),
    )


def service_of(request: HTTPConnection) -> Service:
    return cast(Service, request.app.state.service)
