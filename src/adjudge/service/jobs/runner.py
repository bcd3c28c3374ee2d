"""A job whose turn has come: its run, and how it ended."""

from __future__ import annotations

import asyncio

import orjson

from adjudge.core.reason import Reason, reason_of
from adjudge.core.verdict import Verdict
from adjudge.errors import AdjudgeError
from adjudge.running import Draining, Host, Planned, judge_rows, load_judges
from adjudge.service.judging import JudgingService
from adjudge.service.observability import LOGGER, Metrics
from adjudge.stores import KeptJob, Store

from .plan import JobPlanner, JobSpec
from .queue import ActiveJob


class JobRunner:
    """Runs jobs, each in a loop of its own: reading a large file must not hold up others."""

    def __init__(
        self, planner: JobPlanner, store: Store, judging: JudgingService, metrics: Metrics
    ) -> None:
        self._planner, self._store = planner, store
        self._judging, self._metrics = judging, metrics

    def run_job(self, active: ActiveJob) -> None:
        """Blocks until the run has ended; whatever goes wrong is noted with the job."""
        job = active.job
        try:
            if self._may_begin(active):
                asyncio.run(self._run(active))
                self._finished(active)
            elif active.asked_to_stop:
                self._stopped(active)
        except (Draining, asyncio.CancelledError):
            # Where the service ends, the job stays open for the next one.
            if active.asked_to_stop:
                self._stopped(active)
        except AdjudgeError as error:
            spec = JobSpec.from_dict(job.spec)
            reason = reason_of(error).with_texts(
                lambda text: self._planner.in_user_names(text, spec)
            )
            mark_failed(self._store, job, reason)
        except Exception as error:
            LOGGER.error("a run failed", exc_info=error, extra={"run": job.run})
            mark_failed(self._store, job, Reason("job.fault", kind=type(error).__name__))
        finally:
            self._store.jobs.release(job.run or job.id)
            still_open = [
                JobSpec.from_dict(open_job.spec).data for open_job in self._store.jobs.open()
            ]
            self._planner.forget(JobSpec.from_dict(job.spec), still_open)

    def _may_begin(self, active: ActiveJob) -> bool:
        with active.lock:  # a wish to stop is in the store for good
            if active.unwanted:
                return False
            self._store.jobs.update(active.job.id, "running")
            return True

    async def _run(self, active: ActiveJob) -> None:
        spec = JobSpec.from_dict(active.job.spec)
        for name in spec.models:
            self._judging.open(name)  # says so where it is not offered any more
        options = self._planner.run_options(spec)
        finished = await judge_rows(
            self._planner.data(spec),
            load_judges(self._planner.judges(spec), options),
            spec.models,
            options,
            _VerdictCounter(self._metrics),
            Host(active.begin(), self._judging.slots),
        )
        finished.store.close()

    def _finished(self, active: ActiveJob) -> None:
        with active.lock:
            active.over = True
        self._store.jobs.update(active.job.id, "finished")
        if active.asked_to_stop and active.job.run:  # the wish came too late
            self._store.runs.end(active.job.run, "finished")

    def _stopped(self, active: ActiveJob) -> None:
        self._store.jobs.update(active.job.id, "stopped")
        if active.job.run and not active.under_way:
            self._store.runs.end(active.job.run, "interrupted")


def mark_failed(store: Store, job: KeptJob, problem: Reason) -> None:
    store.jobs.update(job.id, "failed", problem=orjson.dumps(problem).decode())
    if job.run:
        store.runs.end(job.run, "failed")


class _VerdictCounter:
    """Listens to a run, and counts its verdicts."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None: ...

    def verdict(self, verdict: Verdict) -> None:
        self._metrics.verdict(verdict)

    def note(self, text: str) -> None: ...

    def stopping(self) -> None: ...
