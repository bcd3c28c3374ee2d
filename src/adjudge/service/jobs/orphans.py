"""Jobs that nobody has in hand any more: after a restart, or after another service has ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from adjudge.core.reason import Reason
from adjudge.service.observability import LOGGER
from adjudge.stores import KeptJob, Store

from .plan import JobSpec
from .queue import JobQueue
from .runner import mark_failed
from .uploads import Uploads

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


class OrphanedJobs:
    """Another service may have the same store: the jobs that one of them runs are left to it."""

    def __init__(self, store: Store, queue: JobQueue, uploads: Uploads) -> None:
        self._store, self._queue, self._uploads = store, queue, uploads

    def heartbeat(self) -> None:
        """To be called every few seconds: tells others that we live, resumes what they have left,
        and removes the data that no job needs."""
        if self._queue:
            self._store.heartbeat()
        self.resume()
        self._uploads.sweep(needed_uploads(self._store))

    def resume(self) -> None:
        """Takes the jobs that nobody has in hand into the queue."""
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
        """One that never got on, however often it was begun, would not get on the next time."""
        if job.state == "running" and job.run:
            spec = JobSpec.from_dict(job.spec).restarted(
                self._store.runs.progress(job.run).verdicts
            )
            if spec.taken_up > RESTARTS:
                problem = Reason("job.no_progress", times=RESTARTS)
                mark_failed(self._store, job, problem)
                self._store.jobs.release(job.run)
                return
            job = replace(job, spec=spec.to_dict())
            self._store.jobs.begin_again(job)
        self._queue.put(job)


def needed_uploads(store: Store) -> set[str]:
    """The names of data and judges that jobs need which have not ended."""
    specs = [JobSpec.from_dict(job.spec) for job in store.jobs.open()]
    return {name for spec in specs for name in (spec.data, *spec.judges)}
