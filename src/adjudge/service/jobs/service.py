"""Runs that were asked for over HTTP: planned at once, run in turn, resumed later.

A job is in the store before its request is answered, and stays open there until its run has ended:
whatever becomes of the process, the next one goes on with it. The run itself is that of
`adjudge run`, so nothing that was answered is asked again.

Its way: `plan`, `queue`, `runner`, and `orphans` where that was cut off.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

from adjudge.datasets.isolated import WorkerLimits
from adjudge.running import about_data
from adjudge.service.judging import JudgeCatalog, JudgingService
from adjudge.service.observability.metrics import Metrics
from adjudge.service.options import ServeOptions
from adjudge.stores import KeptJob, RunRecord, Store

from .orphans import Heartbeat, OrphanedJobs, needed_uploads
from .plan import JobPlanner, JobSpec
from .queue import JobQueue
from .runner import JobRunner
from .uploads import Uploads


class JobService:
    """Every method may be called from any thread; `submit`, `stop` and `close` block."""

    def __init__(
        self,
        options: ServeOptions,
        store: Store,
        judges: JudgeCatalog,
        judging: JudgingService,
        metrics: Metrics,
    ) -> None:
        self._store, self._judges, self._judging = store, judges, judging
        self.uploads = Uploads(
            Path(store.where), WorkerLimits(options.unpacked), lambda: needed_uploads(store)
        )
        self._planner = JobPlanner(options, judges, judging, self.uploads, store.where)
        self._queue = JobQueue(JobRunner(self._planner, store, judging, metrics).run_job)
        self._orphans = OrphanedJobs(store, self._queue, self.uploads)
        self._heartbeat = Heartbeat(self._orphans.heartbeat, options.waits.heartbeat)
        metrics.jobs("running", lambda: self._queue.count(under_way=True))
        metrics.jobs("waiting", lambda: self._queue.count(under_way=False))

    def check_offered(self, judge: str) -> str:
        """The name itself; UnknownName for a judge that is not offered."""
        return self._judges.get(judge).name

    @property
    def models(self) -> tuple[str, ...]:
        """Those that a job may name."""
        return self._judging.models

    def resume(self) -> None:
        """Takes jobs that nobody has in hand, now and from time to time; call it once."""
        self._orphans.resume()
        self._heartbeat.start()

    def submit(self, spec: JobSpec, token_id: str = "") -> KeptJob:
        """Checks everything that can be checked, and starts the run when its turn comes.

        Raises what `adjudge run` would say before anything is spent. A run that is under way
        already is not started a second time: its job is returned. One that has all its answers is
        left as it is, and the job is `finished` at once.
        """
        planned = self._planner.plan(spec)
        record = planned.batch.run
        spec = replace(spec, notes=tuple(about_data(planned.data, planned.batch.judges)))
        with self._queue.admitting:
            under_way = self._queue.of_run(record.id)
            if under_way:
                return under_way[0].job
            job = KeptJob(
                id=secrets.token_hex(8), spec=spec.to_dict(), token=token_id, run=record.id
            )
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
        """Lets the run end with the replies that are under way; False where it is not in hand.

        It is stopped in the store at once: nobody goes on with it, however this process ends.
        """
        jobs = self._queue.of_run(run_id)
        for active in jobs:
            with active.lock:
                if not active.over:
                    self._store.jobs.update(active.job.id, "stopped")
                    self._store.runs.end(run_id, "interrupted")
                active.asked_to_stop = True
                active.drain()
        return bool(jobs)

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

    def cancel(self) -> None:
        """Ends what is under way without waiting for replies; what was answered is kept."""
        self._queue.end(cancel=True)
