"""Runs that were asked for over HTTP: planned at once, carried out in turn, gone on with later.

A job is in the store before its request is answered, and stays open there until its run has ended:
whatever becomes of the process, the next one goes on with it. The run itself is that of
`adjudge run`, so nothing that was answered is asked again.

Its way: `spec`, `job_plan`, `job_queue`, `carry_out`, and `take_up` where that was cut off.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

from adjudge.datasets.isolated import Limits
from adjudge.running.cautions import about_data
from adjudge.service.observing.figures import Figures
from adjudge.service.offered import OfferedJudges
from adjudge.service.options import ServeOptions
from adjudge.stores.base import Store
from adjudge.stores.records import KeptJob, RunRecord

from .beat import Beat
from .carry_out import Carrier
from .desk import Desk
from .job_plan import JobPlans
from .job_queue import JobQueue
from .spec import JobSpec
from .take_up import LeftJobs, needed_uploads
from .uploads import Uploads

DRAIN = 10  # seconds that replies under way are waited for when the service ends
EVERY = 5.0  # seconds after which we look for jobs that others have left, and tell that we live


class Jobs:
    """Every method may be called from any thread; `submit`, `stop` and `close` block."""

    def __init__(
        self,
        options: ServeOptions,
        store: Store,
        judges: OfferedJudges,
        desk: Desk,
        figures: Figures,
    ) -> None:
        self._store, self._judges, self._desk = store, judges, desk
        self.uploads = Uploads(
            Path(store.where), Limits(options.unpacked), lambda: needed_uploads(store)
        )
        self._plans = JobPlans(options, judges, desk, self.uploads, store.where)
        self._queue = JobQueue(Carrier(self._plans, store, desk, figures).carry_out)
        self._left = LeftJobs(store, self._queue, self.uploads)
        self._beat = Beat(self._left.look_after, EVERY)
        figures.jobs("running", lambda: self._queue.count(under_way=True))
        figures.jobs("waiting", lambda: self._queue.count(under_way=False))

    def check_offered(self, judge: str) -> str:
        """The name itself; UnknownName for a judge that is not offered."""
        return self._judges.get(judge).name

    @property
    def models(self) -> tuple[str, ...]:
        """Those that a job may name."""
        return self._desk.models

    def go_on(self) -> None:
        """Takes up the jobs that nobody has in hand, now and from time to time; call it once."""
        self._left.take_up()
        self._beat.start()

    def submit(self, spec: JobSpec, token_id: str = "") -> KeptJob:
        """Checks everything that can be checked, and starts the run when its turn comes.

        Raises what `adjudge run` would say before anything is spent. A run that is under way
        already is not started a second time: its job is returned. One that has all its answers is
        left as it is, and the job is `finished` at once.
        """
        planned = self._plans.plan(spec)
        record = planned.batch.run
        spec = replace(spec, notes=tuple(about_data(planned.data, planned.batch.judges)))
        with self._queue.admitting:
            under_way = self._queue.of_run(record.id)
            if under_way:
                return under_way[0].job
            job = KeptJob(
                id=secrets.token_hex(8), spec=spec.as_kept(), token=token_id, run=record.id
            )
            if not self._store.jobs.claim(record.id):
                elsewhere = (each for each in self._store.jobs.open() if each.run == record.id)
                if found := next(elsewhere, None):
                    return found
                self._store.jobs.add(job)  # taken up when the other process is done with the run
                return job
            try:
                return self._begun(job, record)
            except BaseException:
                self._store.jobs.give_up(record.id)
                raise

    def _begun(self, job: KeptJob, record: RunRecord) -> KeptJob:
        self._store.start(record)
        if self._store.find(record.id).state == "finished":
            job = replace(job, state="finished")
            self._store.jobs.add(job)
            self._store.jobs.give_up(record.id)
            return job
        self._store.jobs.add(job)
        self._queue.put(job)
        return job

    def state_of(self, run_id: str) -> str | None:
        """`waiting` or `running` where this service has the run in hand, else None."""
        found = self._queue.of_run(run_id)
        return None if not found else "running" if found[0].under_way else "waiting"

    def stop(self, run_id: str) -> bool:
        """Lets the run end with the replies that are under way; False where it is not in hand.

        It is stopped in the store at once: nobody goes on with it, however this process ends.
        """
        found = self._queue.of_run(run_id)
        for each in found:
            with each.lock:
                if not each.over:
                    self._store.jobs.update(each.job.id, "stopped")
                    self._store.end(run_id, "interrupted")
                each.asked_to_stop = True
                each.drain()
        return bool(found)

    def close(self, seconds: float) -> None:
        """Drains what is under way, at most so many seconds; all of it goes on after a restart."""
        self._queue.end()
        self.uploads.workers.close()
        self._beat.end()
        ended = self._queue.wait(seconds)
        if not ended:
            self.cancel()
            ended = self._queue.wait(seconds)
        if ended:
            self._store.replies.give_up()  # of jobs that wait, too: others may have them now

    def cancel(self) -> None:
        """Ends what is under way without waiting for replies; what was answered is kept."""
        self._queue.end(at_once=True)
