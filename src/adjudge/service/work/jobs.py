"""Runs that were asked for over HTTP: planned at once, carried out in turn, gone on with later.

A job is in the store before its request is answered, and stays open there until its run has ended:
whatever becomes of the process, the next one goes on with it. The run itself is that of
`adjudge run`, so nothing that was answered is asked again.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from adjudge.core.verdict import Verdict
from adjudge.errors import AdjudgeError, DataError, DefinitionError, UnknownName, UsageError
from adjudge.running.asking.stop import Draining, Stop
from adjudge.running.options import RunOptions
from adjudge.running.plan import Planned, load_judges, plan_run
from adjudge.running.run import run
from adjudge.service.observing.figures import Figures
from adjudge.service.offered import OfferedJudges
from adjudge.service.options import ServeOptions
from adjudge.stores.base import Store
from adjudge.stores.records import KeptJob, RunRecord

from .beat import Beat
from .definitions import SHOWN
from .desk import Desk
from .spec import JobSpec
from .uploads import Uploads

AT_ONCE = 2  # runs; others wait for their turn
DRAIN = 10  # seconds that replies under way are waited for when the service ends
TIMES = 3  # that a job which brings the service down is begun again
EVERY = 5.0  # seconds after which we look for jobs that others have left, and tell that we live
_KEPT_JUDGE = re.compile(r"[0-9a-f]{64}\.yaml")
_LOG = logging.getLogger("adjudge.service")


@dataclass(slots=True)
class _Carried:
    """A job on its way; `stop` and `task` belong to the loop of its thread, once that is there."""

    job: KeptJob
    asked_to_stop: bool = False
    over: bool = False
    stop: Stop | None = None
    task: asyncio.Task[None] | None = None
    loop: asyncio.AbstractEventLoop | None = None
    under_way: bool = False


class Jobs:
    """Every method may be called from any thread; `submit`, `stop` and `close` block.

    Each run has a thread and a loop of its own: reading a large file must not hold up requests.
    """

    def __init__(
        self,
        options: ServeOptions,
        store: Store,
        judges: OfferedJudges,
        desk: Desk,
        figures: Figures,
    ) -> None:
        self._options, self._store, self._judges, self._desk = options, store, judges, desk
        self._figures = figures
        self.uploads = Uploads(Path(store.where), options.unpacked)
        self._submitting, self._lock = threading.Lock(), threading.Lock()
        self._carried: dict[str, _Carried] = {}
        self._threads = ThreadPoolExecutor(AT_ONCE, "adjudge-run")
        self._beat = Beat(self._look_after, EVERY)
        self._closing = False
        figures.jobs("running", lambda: self._count(under_way=True))
        figures.jobs("waiting", lambda: self._count(under_way=False))

    def check_offered(self, judge: str) -> str:
        """The name itself; UnknownName for a judge that is not offered."""
        return self._judges.get(judge).name

    @property
    def models(self) -> tuple[str, ...]:
        """Those that a job may name."""
        return self._desk.models

    def go_on(self) -> None:
        """Takes up the jobs that nobody has in hand, now and from time to time; call it once."""
        self._take_up()
        self._beat.start()

    def _look_after(self) -> None:
        if self._carried:
            self._store.jobs.stay_alive()
        self._take_up()
        kept = [JobSpec.of(job.spec) for job in self._store.jobs.open()]
        self.uploads.sweep({name for spec in kept for name in (spec.data, *spec.judges)})

    def _take_up(self) -> None:
        """Another service may have the same store: what one of them carries out is left to it."""
        for job in self._store.jobs.open():
            with self._submitting:
                run = job.run or job.id
                if self._closing or self._of_run(run) or not self._store.jobs.claim(run):
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
                self._failed(job, f"It was begun again {TIMES} times without one new verdict.")
                self._store.jobs.give_up(job.run)
                return
            job = replace(job, spec=spec.as_kept())
            self._store.jobs.begin_again(job)
        self._enqueue(job)

    def submit(self, spec: JobSpec, token_id: str = "") -> KeptJob:
        """Checks everything that can be checked, and starts the run when its turn comes.

        Raises what `adjudge run` would say before anything is spent. A run that is under way
        already is not started a second time: its job is returned. One that has all its answers is
        left as it is, and the job is `finished` at once.
        """
        planned = self._plan(spec)
        record = planned.batch.run
        with self._submitting:
            under_way = self._of_run(record.id)
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
        self._enqueue(job)
        return job

    def state_of(self, run_id: str) -> str | None:
        """`waiting` or `running` where this service has the run in hand, else None."""
        found = self._of_run(run_id)
        return None if not found else "running" if found[0].under_way else "waiting"

    def stop(self, run_id: str) -> bool:
        """Lets the run end with the replies that are under way; False where it is not in hand.

        It is stopped in the store at once: nobody goes on with it, however this process ends.
        """
        found = self._of_run(run_id)
        with self._lock:
            for each in found:
                if not each.over:
                    self._store.jobs.update(each.job.id, "stopped")
                    self._store.end(run_id, "interrupted")
                each.asked_to_stop = True
                _ask(each)
        return bool(found)

    def close(self, seconds: float) -> None:
        """Drains what is under way, at most so many seconds; all of it goes on after a restart."""
        with self._lock:
            self._closing = True
            under_way = list(self._carried.values())
            for each in under_way:
                _ask(each)
        self._threads.shutdown(wait=False, cancel_futures=True)
        ended = threading.Event()
        waiting = threading.Thread(target=_wait, args=(self._threads, ended), daemon=True)
        waiting.start()
        self._beat.end()
        if not ended.wait(seconds):
            self.cancel()
            ended.wait(seconds)
        if ended.is_set():
            self._store.replies.give_up()  # of jobs that wait, too: others may have them now

    def cancel(self) -> None:
        """Ends what is under way without waiting for replies; what was answered is kept."""
        with self._lock:
            self._closing = True
            for each in self._carried.values():
                if each.loop is not None and each.task is not None and not each.loop.is_closed():
                    each.loop.call_soon_threadsafe(each.task.cancel)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _of_run(self, run_id: str) -> list[_Carried]:
        with self._lock:
            return [each for each in self._carried.values() if each.job.run == run_id]

    def _count(self, *, under_way: bool) -> int:
        with self._lock:
            return sum(each.under_way is under_way for each in self._carried.values())

    def _plan(self, spec: JobSpec) -> Planned:
        options = self._run_options(spec)
        data = str(self.uploads.path(spec.data))
        sources = [self._source(name) for name in spec.judges]
        models = [self._desk.open(name) for name in spec.models]
        try:
            return plan_run(data, load_judges(sources, options), models, options)
        except (DataError, DefinitionError, UsageError) as error:
            raise type(error)(self._told(str(error), spec)) from None

    def _told(self, message: str, spec: JobSpec) -> str:
        """Where we keep something, and under which name, means nothing to whoever sent it."""
        for name in spec.judges:
            shown = SHOWN if _KEPT_JUDGE.fullmatch(name) else name
            with suppress(UnknownName):  # not offered any more
                message = message.replace(self._source(name), shown)
        message = self.uploads.told(message, spec.data, spec.title)
        return message.replace(self._store.where, "the store")

    def _source(self, name: str) -> str:
        # Nothing that a request names leads out of the folder: a kept judge is named by its hash.
        if _KEPT_JUDGE.fullmatch(name):
            return str(self.uploads.path(name))
        return self._judges.source(name)

    def _run_options(self, spec: JobSpec) -> RunOptions:
        served = self._options
        return RunOptions(
            **spec.options,
            base_url=served.base_url,
            timeout=served.timeout,
            concurrency=served.concurrency,
            store=served.store,
            data_title=spec.title,
        )

    def _enqueue(self, job: KeptJob) -> None:
        carried = _Carried(job)
        with self._lock:
            if self._closing:
                return  # it is in the store; the next process goes on with it
            self._carried[job.id] = carried
            self._threads.submit(self._carry_out, carried)

    def _carry_out(self, carried: _Carried) -> None:
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
            self._failed(job, self._told(str(error), JobSpec.of(job.spec)))
        except Exception as error:
            _LOG.error("a run failed", exc_info=error, extra={"run": job.run})
            self._failed(job, f"{type(error).__name__}; the log of the service says more")
        finally:
            try:
                self._store.jobs.give_up(job.run or job.id)
            finally:
                with self._lock:
                    del self._carried[job.id]

    def _may_begin(self, carried: _Carried) -> bool:
        with self._lock:  # a wish to stop is in the store for good
            if carried.asked_to_stop or self._closing:
                return False
            self._store.jobs.update(carried.job.id, "running")
            return True

    async def _run(self, carried: _Carried) -> None:
        spec = JobSpec.of(carried.job.spec)
        for name in spec.models:
            self._desk.open(name)  # says so where it is not offered any more
        with self._lock:
            carried.loop, carried.task = asyncio.get_running_loop(), asyncio.current_task()
            carried.stop, carried.under_way = Stop(), True
            if carried.asked_to_stop or self._closing:
                carried.stop.ask()
        finished = await run(
            str(self.uploads.path(spec.data)),
            [self._source(name) for name in spec.judges],
            spec.models,
            self._run_options(spec),
            _Counting(self._figures),
            carried.stop,
        )
        finished.store.close()

    def _finished(self, carried: _Carried) -> None:
        with self._lock:
            carried.over = True
        self._store.jobs.update(carried.job.id, "finished")
        if carried.asked_to_stop and carried.job.run:  # the wish came too late
            self._store.end(carried.job.run, "finished")

    def _stopped(self, carried: _Carried) -> None:
        self._store.jobs.update(carried.job.id, "stopped")
        if carried.job.run and not carried.under_way:
            self._store.end(carried.job.run, "interrupted")

    def _failed(self, job: KeptJob, problem: str) -> None:
        self._store.jobs.update(job.id, "failed", problem=problem)
        if job.run:
            self._store.end(job.run, "failed")


class _Counting:
    """Hears what happens in a run, and counts."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None: ...

    def verdict(self, verdict: Verdict) -> None:
        self._figures.verdict(verdict)

    def note(self, text: str) -> None: ...

    def stopping(self) -> None: ...


def _ask(carried: _Carried) -> None:
    if carried.loop is not None and carried.stop is not None and not carried.loop.is_closed():
        carried.loop.call_soon_threadsafe(carried.stop.ask)


def _wait(threads: ThreadPoolExecutor, ended: threading.Event) -> None:
    threads.shutdown(wait=True)
    ended.set()
