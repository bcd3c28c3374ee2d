"""Runs that were asked for over HTTP: planned at once, run in turn, resumed later.

A job is in the store before its request is answered, and stays open there until its run has ended:
whatever becomes of the process, the next one goes on with it. The run itself is that of
`adjudge run`, so nothing that was answered is asked again.

Its way: `plan`, then `queue`, and the queue of another service where that was cut off.
"""

from __future__ import annotations

import secrets
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from adjudge.core.reason import Reason
from adjudge.datasets.isolated import WorkerLimits
from adjudge.errors import UsageError
from adjudge.running import Forecast
from adjudge.service.judging import JudgingService
from adjudge.service.observability import LOGGER, Metrics
from adjudge.stores import KeptJob, RunRecord, Store, path_of

from .plan import JobPlanner, JobSpec
from .queue import JobQueue, JobRunner, mark_failed
from .uploads import Uploads


class JobService:
    """Every method may be called from any thread; `submit`, `stop` and `close` block."""

    def __init__(self, store: Store, judging: JudgingService, metrics: Metrics) -> None:
        self._store, options = store, judging.options
        path = path_of(options.store)
        self.uploads = Uploads(
            path or Path(tempfile.mkdtemp(prefix="adjudge-")) / "server",
            WorkerLimits(options.unpacked),
            lambda: needed_uploads(store),
            shared=None if path else store.uploads,
        )
        self._planner = JobPlanner(judging, self.uploads, store.where)
        self._queue = JobQueue(JobRunner(self._planner, store, judging, metrics).run_job)
        self._heartbeat = Heartbeat(self._look_after_jobs, options.waits.heartbeat)
        metrics.jobs("running", lambda: self._queue.count(under_way=True))
        metrics.jobs("waiting", lambda: self._queue.count(under_way=False))

    def resume(self) -> None:
        """Takes jobs that nobody runs, now and from time to time; call it once."""
        self._take_orphans()
        self._heartbeat.start()

    def _look_after_jobs(self) -> None:
        """Every few seconds: tells others that we live, resumes what they have left, and removes
        the data that no job needs."""
        if self._queue:
            self._store.heartbeat()
            self._stop_unwanted()
        self._take_orphans()
        self.uploads.sweep(needed_uploads(self._store))

    def _stop_unwanted(self) -> None:
        """Ours that another service was asked to stop."""
        for active in self._queue.all():
            job = self._store.jobs.find(active.job.id)
            with active.lock:
                if job and job.state == "stopped" and not active.unwanted:
                    active.asked_to_stop = True
                    active.drain()

    def _take_orphans(self) -> None:
        """Into the queue. Another service may have the same store: the jobs that one of them runs
        are left to it."""
        for job in self._store.jobs.open():
            with self._queue.admitting:
                run, queue = job.run or job.id, self._queue
                if queue.closing or queue.of_run(run) or not self._store.jobs.claim(run):
                    continue
                current = self._store.jobs.find(job.id)
                if current is not None and current.state in ("waiting", "running"):
                    self._restart(current)
                else:  # it has ended since
                    self._store.jobs.release(run)

    def _restart(self, job: KeptJob) -> None:
        """One that never made progress, however often it was begun, will not the next time."""
        if job.state == "running" and job.run:
            spec = JobSpec.of(job).restarted(self._store.runs.progress(job.run).verdicts)
            if spec.taken_up > RESTARTS:
                problem = Reason("job.no_progress", times=RESTARTS)
                mark_failed(self._store, job, problem)
                self._store.jobs.release(job.run)
                return
            job = replace(job, spec=asdict(spec))
            self._store.jobs.begin_again(job)
        self._queue.put(job)

    def submit(self, spec: JobSpec, token_id: str = "") -> KeptJob:
        """Checks everything that can be checked, and starts the run when its turn comes.

        Raises what `adjudge run` would say before anything is spent. A run that is under way
        already is not started a second time: its job is returned. One that has all its answers is
        left as it is, and the job is `finished` at once.
        """
        planned = self._planner.plan(spec)
        record = planned.batch.run
        spec = replace(spec, notes=self._planner.notes_on(planned, spec))
        with self._queue.admitting:
            under_way = self._queue.of_run(record.id)
            if under_way:
                return under_way[0].job
            job = KeptJob(id=secrets.token_hex(8), spec=asdict(spec), token=token_id, run=record.id)
            if not self._store.jobs.claim(record.id):
                elsewhere = (other for other in self._store.jobs.open() if other.run == record.id)
                if other := next(elsewhere, None):
                    return other
                self._store.jobs.add(job)  # resumed when the other process is done with the run
                return job
            try:
                return self._start(job, record)
            except BaseException:
                self._store.jobs.release(record.id)
                raise

    def forecast(self, spec: JobSpec) -> Forecast:
        """What the run would ask and cost; raises what would keep it from starting. Blocks."""
        return self._planner.forecast(spec)

    def resume_run(self, run_id: str, token_id: str = "", *, budget: str = "") -> KeptJob:
        """Goes on with a run that was stopped, failed or lacks answers, as it was asked for here;
        `budget` takes the place of the one that it had. UsageError where that is not known any
        more: it was started elsewhere, or its data are gone."""
        latest = next(iter(self._store.jobs.of_run(run_id)), None)
        if latest is None:
            raise UsageError(Reason("job.not_ours", run=run_id))
        spec = replace(JobSpec.of(latest), taken_up=0)
        if not self.uploads.path(spec.data).exists():
            raise UsageError(Reason("job.data_gone", data=spec.title))
        if budget.strip():
            spec = replace(spec, options={**spec.options, "budget": budget.strip()})
        return self.submit(spec, token_id)

    def _start(self, job: KeptJob, record: RunRecord) -> KeptJob:
        self._store.runs.start(record)
        if self._store.runs.find(record.id).state == "finished":
            job = replace(job, state="finished")
            self._store.jobs.add(job)
            self._store.jobs.release(record.id)
            return job
        self._store.jobs.add(job)
        self._queue.put(job)
        return job

    def state_of(self, run_id: str) -> str | None:
        """`waiting` or `running` where this service has the run in hand, else None."""
        active = self._queue.of_run(run_id)
        return None if not active else "running" if active[0].under_way else "waiting"

    def stop(self, run_id: str) -> bool:
        """Lets the run end with the replies that are under way; False where nobody has it in hand.

        It is stopped in the store at once: nobody goes on with it, however this process ends. Where
        another service has it in hand, that one finds out with its next heartbeat.
        """
        jobs = self._queue.of_run(run_id)
        if not jobs:
            elsewhere = [job for job in self._store.jobs.open() if job.run == run_id]
            for job in elsewhere:
                self._store.jobs.update(job.id, "stopped")
            return bool(elsewhere)
        for active in jobs:
            with active.lock:
                if not active.over:
                    self._store.jobs.update(active.job.id, "stopped")
                    self._store.runs.end(run_id, "interrupted")
                active.asked_to_stop = True
                active.drain()
        return True

    def close(self, seconds: float) -> None:
        """Drains what is under way, at most so many seconds; all of it goes on after a restart."""
        self._queue.end()
        self.uploads.workers.close()
        self._heartbeat.end()
        ended = self._queue.wait(seconds)
        if not ended:
            self.cancel()
            ended = self._queue.wait(seconds)
        if ended:
            self._store.replies.release()  # of jobs that wait, too: others may have them now
        self.uploads.close()

    def cancel(self) -> None:
        """Ends what is under way without waiting for replies; what was answered is kept."""
        self._queue.end(cancel=True)


RESTARTS = 3  # of a job that brings the service down


class Heartbeat:
    """Calls `action` in a thread of its own every so many seconds, for as long as the service
    lives; what goes wrong is in the log, and tried again."""

    def __init__(self, action: Callable[[], None], seconds: float) -> None:
        self._action, self._seconds = action, seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="adjudge-heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Waits for a call that is under way; may be called twice, and without a start."""
        self._over.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _beat(self) -> None:
        while not self._over.wait(self._seconds):
            try:
                self._action()
            except Exception as error:
                LOGGER.error("jobs cannot be looked after", exc_info=error)


def needed_uploads(store: Store) -> set[str]:
    """The names of data and judges that jobs need which have not ended, or may be resumed. Data of
    a run that keeps no texts are gone with its end."""
    resumable = (spec for spec in map(JobSpec.of, store.jobs.resumable()) if spec.keeps_data)
    specs = [*map(JobSpec.of, store.jobs.open()), *resumable]
    return {name for spec in specs for name in (spec.data, *spec.judges)}
