"""A job whose turn has come: its run, and how it ended."""

from __future__ import annotations

import asyncio
import logging

from adjudge.core.verdict import Verdict
from adjudge.errors import AdjudgeError
from adjudge.running.asking.stop import Draining
from adjudge.running.going import Host
from adjudge.running.plan import Planned
from adjudge.running.run import run
from adjudge.service.observing.figures import Figures
from adjudge.stores.base import Store
from adjudge.stores.records import KeptJob

from .carried import Carried
from .desk import Desk
from .job_plan import JobPlans
from .spec import JobSpec

_LOG = logging.getLogger("adjudge.service")


class Carrier:
    """Carries jobs out, each in a loop of its own: reading a large file must not hold up others."""

    def __init__(self, plans: JobPlans, store: Store, desk: Desk, figures: Figures) -> None:
        self._plans, self._store, self._desk, self._figures = plans, store, desk, figures

    def carry_out(self, carried: Carried) -> None:
        """Blocks until the run has ended; whatever goes wrong is noted with the job."""
        job = carried.job
        try:
            if self._may_begin(carried):
                asyncio.run(self._run(carried))
                self._finished(carried)
            elif carried.asked_to_stop:
                self._stopped(carried)
        except (Draining, asyncio.CancelledError):
            # Where the service ends, the job stays open for the next one.
            if carried.asked_to_stop:
                self._stopped(carried)
        except AdjudgeError as error:
            note_failure(self._store, job, self._plans.told(str(error), JobSpec.of(job.spec)))
        except Exception as error:
            _LOG.error("a run failed", exc_info=error, extra={"run": job.run})
            problem = f"{type(error).__name__}; the log of the service says more"
            note_failure(self._store, job, problem)
        finally:
            self._store.jobs.give_up(job.run or job.id)
            still_open = [JobSpec.of(each.spec).data for each in self._store.jobs.open()]
            self._plans.forget(JobSpec.of(job.spec), still_open)

    def _may_begin(self, carried: Carried) -> bool:
        with carried.lock:  # a wish to stop is in the store for good
            if carried.unwanted:
                return False
            self._store.jobs.update(carried.job.id, "running")
            return True

    async def _run(self, carried: Carried) -> None:
        spec = JobSpec.of(carried.job.spec)
        for name in spec.models:
            self._desk.open(name)  # says so where it is not offered any more
        finished = await run(
            self._plans.data(spec),
            self._plans.judges(spec),
            spec.models,
            self._plans.run_options(spec),
            _Counting(self._figures),
            Host(carried.begin(), self._desk.places),
        )
        finished.store.close()

    def _finished(self, carried: Carried) -> None:
        with carried.lock:
            carried.over = True
        self._store.jobs.update(carried.job.id, "finished")
        if carried.asked_to_stop and carried.job.run:  # the wish came too late
            self._store.end(carried.job.run, "finished")

    def _stopped(self, carried: Carried) -> None:
        self._store.jobs.update(carried.job.id, "stopped")
        if carried.job.run and not carried.under_way:
            self._store.end(carried.job.run, "interrupted")


def note_failure(store: Store, job: KeptJob, problem: str) -> None:
    store.jobs.update(job.id, "failed", problem=problem)
    if job.run:
        store.end(job.run, "failed")


class _Counting:
    """Hears what happens in a run, and counts."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None: ...

    def verdict(self, verdict: Verdict) -> None:
        self._figures.verdict(verdict)

    def note(self, text: str) -> None: ...

    def stopping(self) -> None: ...
