"""Jobs wait here for their turn; each that has it gets a thread of its own, and its run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import orjson

from adjudge.core.reason import Reason
from adjudge.core.verdict import Verdict
from adjudge.errors import AdjudgeError
from adjudge.running import Draining, Host, SilentWatcher, Stop, judge_rows
from adjudge.service.judging import JudgingService
from adjudge.service.observability import LOGGER, Metrics
from adjudge.stores import KeptJob, Store

from .plan import JobPlanner, JobSpec

AT_ONCE = 2  # runs; others wait for their turn


@dataclass(slots=True)
class ActiveJob:
    """A job that this service has in hand: it waits for its turn, or is under way in its thread.

    Its methods may be called from any thread. `asked_to_stop` is a user's wish and for good,
    `ending` only means that the service ends; whoever changes them, or acts on them, has `lock`.
    """

    job: KeptJob
    lock: threading.Lock = field(default_factory=threading.Lock)
    asked_to_stop: bool = False
    ending: bool = False
    under_way: bool = False
    over: bool = False
    _stop: Stop | None = None
    _task: asyncio.Task[None] | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    @property
    def unwanted(self) -> bool:
        return self.asked_to_stop or self.ending

    def begin(self) -> Stop:
        """In the loop of its thread; from here on it can be asked to drain, and be cancelled."""
        with self.lock:
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            self._stop, self.under_way = Stop(), True
            if self.unwanted:
                self._stop.ask()
            return self._stop

    def drain(self) -> None:
        """Replies under way are waited for, and no more are asked for; `lock` is held."""
        if self._loop is not None and self._stop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.ask)

    def end(self, *, cancel: bool = False) -> None:
        """The service ends: the job drains or is cancelled, and stays open in the store."""
        with self.lock:
            self.ending = True
            if not cancel:
                self.drain()
            elif self._loop is not None and self._task is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._task.cancel)


class JobQueue:
    """Every method may be called from any thread; `run_job` blocks for as long as a job takes.

    Whoever decides that a run comes into hand has `admitting` until it is in the queue.
    """

    def __init__(self, run_job: Callable[[ActiveJob], None]) -> None:
        self._run_job = run_job
        self.admitting = threading.Lock()
        self._lock = threading.Lock()
        self._active: dict[str, ActiveJob] = {}
        self._threads = ThreadPoolExecutor(AT_ONCE, "adjudge-run")
        self.closing = False

    def put(self, job: KeptJob) -> None:
        active = ActiveJob(job)
        with self._lock:
            if self.closing:
                return  # it is in the store; the next process goes on with it
            self._active[job.id] = active
            self._threads.submit(self._turn, active)

    def _turn(self, active: ActiveJob) -> None:
        try:
            self._run_job(active)
        finally:
            with self._lock:
                del self._active[active.job.id]

    def all(self) -> list[ActiveJob]:
        with self._lock:
            return [*self._active.values()]

    def of_run(self, run_id: str) -> list[ActiveJob]:
        return [active for active in self.all() if active.job.run == run_id]

    def count(self, *, under_way: bool) -> int:
        with self._lock:
            return sum(active.under_way is under_way for active in self._active.values())

    def __bool__(self) -> bool:
        return bool(self._active)

    def end(self, *, cancel: bool = False) -> None:
        """No job begins any more; those under way drain, or are cancelled."""
        with self._lock:
            self.closing = True
            for active in self._active.values():
                active.end(cancel=cancel)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def wait(self, seconds: float) -> bool:
        """After `end`: whether all have ended before so many seconds were over."""
        waiting = threading.Thread(target=self._threads.shutdown, daemon=True)
        waiting.start()
        waiting.join(seconds)
        return not waiting.is_alive()


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
            mark_failed(self._store, job, self._planner.in_user_names(error, JobSpec.of(job)))
        except Exception as error:
            LOGGER.error("a run failed", exc_info=error, extra={"run": job.run})
            mark_failed(self._store, job, Reason("job.fault", kind=type(error).__name__))
        finally:
            self._store.jobs.release(job.run or job.id)
            still_open = map(JobSpec.of, self._store.jobs.open())
            self._planner.forget(JobSpec.of(job), [spec.data for spec in still_open])

    def _may_begin(self, active: ActiveJob) -> bool:
        with active.lock:  # a wish to stop is in the store for good
            job = self._store.jobs.find(active.job.id)
            active.asked_to_stop |= job is None or job.state == "stopped"  # elsewhere
            if active.unwanted:
                return False
            self._store.jobs.update(active.job.id, "running")
            return True

    async def _run(self, active: ActiveJob) -> None:
        spec = JobSpec.of(active.job)
        for name in spec.models:
            self._judging.open(name)  # says so where it is not offered any more
        data, judges, options = self._planner.inputs(spec)
        counter, host = _VerdictCounter(self._metrics), Host(active.begin(), self._judging.slots)
        finished = await judge_rows(data, judges, spec.models, options, counter, host)
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


@dataclass(frozen=True, slots=True)
class _VerdictCounter(SilentWatcher):
    metrics: Metrics

    def verdict(self, verdict: Verdict) -> None:
        self.metrics.verdict(verdict)
