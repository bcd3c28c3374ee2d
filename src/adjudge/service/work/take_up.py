"""Jobs that nobody has in hand any more are taken up: after a restart, or of another service."""

from __future__ import annotations

from dataclasses import replace

from adjudge.stores.base import Store
from adjudge.stores.records import KeptJob

from .carry_out import note_failure
from .job_queue import JobQueue
from .spec import JobSpec
from .uploads import Uploads

TIMES = 3  # that a job which brings the service down is begun again


class LeftJobs:
    def __init__(self, store: Store, queue: JobQueue, uploads: Uploads) -> None:
        self._store, self._queue, self._uploads = store, queue, uploads

    def look_after(self) -> None:
        """To be called every few seconds: tells others that we live, takes up what they have left,
        and removes the data that no job needs."""
        if self._queue:
            self._store.stay_alive()
        self.take_up()
        self._uploads.sweep(needed_uploads(self._store))

    def take_up(self) -> None:
        """Another service may have the same store: what one of them carries out is left to it."""
        for job in self._store.jobs.open():
            with self._queue.admitting:
                run, queue = job.run or job.id, self._queue
                if queue.closing or queue.of_run(run) or not self._store.jobs.claim(run):
                    continue
                found = self._store.jobs.find(job.id)
                if found is not None and found.state in ("waiting", "running"):
                    self._begin_again(found)
                else:  # it has ended since
                    self._store.jobs.give_up(run)

    def _begin_again(self, job: KeptJob) -> None:
        """One that never got on, however often it was begun, would not get on the next time."""
        if job.state == "running" and job.run:
            spec = JobSpec.of(job.spec).begun_again(self._store.progress(job.run).verdicts)
            if spec.taken_up > TIMES:
                problem = f"It was begun again {TIMES} times without one new verdict."
                note_failure(self._store, job, problem)
                self._store.jobs.give_up(job.run)
                return
            job = replace(job, spec=spec.as_kept())
            self._store.jobs.begin_again(job)
        self._queue.put(job)


def needed_uploads(store: Store) -> set[str]:
    """The names of data and judges that jobs need which have not ended."""
    kept = [JobSpec.of(job.spec) for job in store.jobs.open()]
    return {name for spec in kept for name in (spec.data, *spec.judges)}
