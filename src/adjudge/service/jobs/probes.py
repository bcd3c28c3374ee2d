"""Probes and checks for drift that were asked for on a page: each runs in a thread of its own,
beside the runs.

What it asks is kept as runs are. One that the service's end cuts off is started again by hand, and
asks nothing twice.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from adjudge.analysis.drift import BUILT_IN, DRIFT_TAG, anchor_rows
from adjudge.analysis.probing.probe import ProbeOptions, prepare, run_probe
from adjudge.core.reason import Reason, reason_of
from adjudge.core.verdict import Verdict
from adjudge.datasets import opened_data
from adjudge.errors import AdjudgeError
from adjudge.running import (
    Draining,
    Host,
    Planned,
    SilentWatcher,
    Stop,
    judge_rows,
    load_judges,
)
from adjudge.service.judging import JudgingService
from adjudge.service.observability import LOGGER, Metrics


@dataclass(slots=True)
class ProbeProgress(SilentWatcher):
    """How far a probe is: `done` of the verdicts that are known to come. It is `over` with a
    `problem`, or without one; it also hears of the runs that it makes."""

    metrics: Metrics
    done: int = 0
    total: int = 0
    over: bool = False
    problem: Reason | None = None
    stop: Stop = field(default_factory=Stop)
    loop: asyncio.AbstractEventLoop | None = None

    def end(self) -> None:
        """Asks for nothing more; from any thread."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.stop.ask)

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None:  # noqa: ARG002
        self.done += already
        self.total += planned.batch.verdicts

    def verdict(self, verdict: Verdict) -> None:
        self.done += 1
        self.metrics.verdict(verdict)


Kind = Literal["probe", "drift"]


class ProbeJobs:
    """Every method may be called from any thread; those that start one read the judge and raise
    what keeps it from starting. One that is under way is not started again."""

    def __init__(self, judging: JudgingService, metrics: Metrics) -> None:
        self._judging, self._metrics = judging, metrics
        self._lock = threading.Lock()
        self._latest: dict[tuple[Kind, str, str], tuple[ProbeProgress, threading.Thread]] = {}

    def start(self, judge: str, model: str) -> None:
        """Probes the judge; alters the texts before anything is asked."""
        source = self._judging.judges.source(judge)
        probing = prepare(source, [model], None, self._judging.options.for_runs(), ProbeOptions())

        async def ask(progress: ProbeProgress, host: Host) -> None:
            await run_probe(probing, lambda _: progress, host)

        self._begin("probe", judge, model, ask)

    def check_drift(self, judge: str, model: str) -> None:
        """Asks the judge about the built-in anchors once more, as `adjudge drift` does."""
        tags = {DRIFT_TAG: BUILT_IN}
        options = self._judging.options.for_runs(tags=tags, fresh=True, no_cache=True)
        loaded = load_judges([self._judging.judges.source(judge)], options)
        anchors = opened_data(anchor_rows(loaded[0].judge))

        async def ask(progress: ProbeProgress, host: Host) -> None:
            finished = await judge_rows(anchors, loaded, [model], options, progress, host)
            finished.store.close()

        self._begin("drift", judge, model, ask)

    def progress(self, kind: Kind, judge: str, model: str) -> ProbeProgress | None:
        """Of the one that was started last in this service; None where none was."""
        known = self._latest.get((kind, judge, self._judging.open(model).name))
        return known[0] if known else None

    def _begin(
        self,
        kind: Kind,
        judge: str,
        model: str,
        ask: Callable[[ProbeProgress, Host], Awaitable[None]],
    ) -> None:
        key = (kind, judge, self._judging.open(model).name)
        with self._lock:
            known = self._latest.get(key)
            if known and not known[0].over:
                return
            progress = ProbeProgress(self._metrics)
            thread = threading.Thread(target=self._run, args=(ask, progress), daemon=True)
            self._latest[key] = progress, thread
            thread.start()

    def _run(
        self, ask: Callable[[ProbeProgress, Host], Awaitable[None]], progress: ProbeProgress
    ) -> None:
        async def asked() -> None:
            progress.loop = asyncio.get_running_loop()
            await ask(progress, Host(progress.stop, self._judging.slots))

        try:
            asyncio.run(asked())
        except Draining:
            progress.problem = Reason("job.probe_stopped")
        except AdjudgeError as error:
            progress.problem = reason_of(error)
        except Exception as error:
            LOGGER.error("a probe failed", exc_info=error)
            progress.problem = Reason("job.fault", kind=type(error).__name__)
        finally:
            progress.over = True

    def close(self, seconds: float) -> None:
        """Lets replies under way come in, at most so many seconds."""
        for progress, _ in self._latest.values():
            progress.end()
        for _, thread in self._latest.values():
            thread.join(seconds)
