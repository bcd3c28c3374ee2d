"""What all requests share."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from starlette.requests import HTTPConnection

from adjudge.analysis.browsing import IndexCache, Slices
from adjudge.analysis.disagreement import Disagreements
from adjudge.analysis.improvement import Rerun
from adjudge.errors import ModelUnavailable
from adjudge.reports.findings.gathering import Combined
from adjudge.run_handle import Run
from adjudge.stores import RunRecord, Store, open_store, path_of
from adjudge.stores.dialects.sqlite_file import open_to_others

from .caches import BackgroundResults, CalibrationCache, ComparisonCache, LabelQueueCache
from .jobs import JobService
from .jobs.probes import ProbeJobs
from .judge_catalog import JudgeCatalog
from .judging import JudgingService
from .observability import LOGGER, Metrics
from .options import ServeOptions
from .security.access import SignIn, TokenCache
from .security.hosts import Hosts, check_address

_RERUNS = 32  # small: figures alone
_MATRICES = 2  # each holds the indexes of its runs
_SLICES = 32  # columns of runs whose slices are kept ready
_COMBINED = 16  # runs; the panel of 100,000 items takes about 10 MB per criterion


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """How far a run is; `total` is the most that there can be."""

    done: int
    total: int
    unscored: int
    outcomes: Mapping[str, int]


@dataclass(slots=True, kw_only=True)
class Service:
    """`store` blocks: handlers that use it are plain functions, which run in a thread.

    `stopping` is set, in the loop of the server, when the service is to end.
    """

    options: ServeOptions
    store: Store
    judges: JudgeCatalog
    judging: JudgingService
    jobs: JobService
    probes: ProbeJobs
    indexes: IndexCache
    calibrations: CalibrationCache
    comparisons: ComparisonCache
    slices: BackgroundResults[Slices]
    combined: BackgroundResults[Combined]
    matrices: BackgroundResults[Any]  # of pages/beside.py
    reruns: BackgroundResults[Rerun]
    questions: BackgroundResults[Disagreements]  # asked about rubrics
    label_queues: LabelQueueCache
    metrics: Metrics
    tokens: TokenCache
    sign_in: SignIn
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def run(self, run_id: str) -> Run:
        """By id, by a unique beginning of it, or "latest"; UsageError for any other."""
        return Run(self.store.runs.find(run_id), self.store)

    def state_of(self, record: RunRecord) -> str:
        """As in the store, unless the run waits for its turn here."""
        return self.jobs.state_of(record.id) or record.state

    def progress_of(self, record: RunRecord) -> VerdictCounts:
        progress = self.store.runs.progress(record.id)
        total = max(record.most, progress.verdicts)
        return VerdictCounts(progress.verdicts, total, progress.unscored, dict(progress.outcomes))


def open_service(options: ServeOptions) -> Service:
    """UsageError for everything that can be wrong with the options; nothing stays open then."""
    path = path_of(options.store)
    home = path.parent / "judges" / path.name if path else None
    judges = JudgeCatalog(options.judges, home)
    Hosts(options.host, options.allowed_hosts)
    store, metrics = open_store(options.store), Metrics()
    try:
        check_address(options.host, store)
    except BaseException:
        store.close()
        raise
    judging = JudgingService(options, judges, store.secret, metrics.verdict)
    tokens = TokenCache(store, options.waits.tokens)
    return Service(
        options=options,
        store=store,
        judges=judges,
        judging=judging,
        jobs=JobService(store, judging, metrics),
        probes=ProbeJobs(judging, metrics),
        indexes=IndexCache(store),
        calibrations=CalibrationCache(store),
        comparisons=ComparisonCache(store),
        slices=BackgroundResults(_SLICES),
        combined=BackgroundResults(_COMBINED),
        matrices=BackgroundResults(_MATRICES),
        reruns=BackgroundResults(_RERUNS),
        questions=BackgroundResults(_RERUNS),
        label_queues=LabelQueueCache(store),
        metrics=metrics,
        tokens=tokens,
        sign_in=SignIn(tokens),
    )


def check_models(service: Service) -> None:
    """UsageError for a model that no provider has, and the store is closed then.

    What may still be put right, such as a missing key, is a warning in the log. Weights of the
    embedded model are opened with the first question.
    """
    try:
        for name in service.judging.models:
            try:
                service.judging.open(name)
            except ModelUnavailable as error:
                LOGGER.warning("%s", error)
    except BaseException:
        service.store.close()
        raise
    path = path_of(service.options.store)
    warning = open_to_others(path) if path else None
    if warning:
        LOGGER.warning("%s", warning)


def service_of(request: HTTPConnection) -> Service:
    return cast(Service, request.app.state.service)
