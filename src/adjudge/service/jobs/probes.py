"""Probes that were asked for on a page: each runs in a thread of its own, beside the runs.

What it asks is kept as runs are. One that the service's end cuts off is started again by hand, and
asks nothing twice.
"""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field

from adjudge.analysis.probing.probe import ProbeOptions, Probing, prepare, run_probe
from adjudge.core.reason import Reason, reason_of
from adjudge.core.verdict import Verdict
from adjudge.errors import AdjudgeError
from adjudge.running import Draining, Host, Planned, Progress, RunOptions, Stop
from adjudge.service.judging import JudgingService
from adjudge.service.observability import LOGGER, Metrics


@dataclass(slots=True)
class ProbeProgress:
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

    def note(self, text: str) -> None: ...
    def counted(self, progress: Progress) -> None: ...
    def stopping(self) -> None: ...


class ProbeJobs:
    """Every method may be called from any thread; `start` reads the judge and alters the texts."""

    def __init__(self, judging: JudgingService, metrics: Metrics) -> None:
        self._judging, self._metrics = judging, metrics
        self._lock = threading.Lock()
        self._latest: dict[tuple[str, str], tuple[ProbeProgress, threading.Thread]] = {}

    def start(self, judge: str, model: str) -> None:
        """Raises what keeps it from starting; one that is under way is not started again."""
        served = self._judging.options
        opened = self._judging.open(model)
        options = RunOptions(
            base_url=served.base_url,
            timeout=served.timeout,
            concurrency=served.concurrency,
            store=served.store,
        )
        source = self._judging.judges.source(judge)
        probing = prepare(source, [model], None, options, ProbeOptions())
        with self._lock:
            key = (judge, opened.name)
            known = self._latest.get(key)
            if known and not known[0].over:
                return
            progress = ProbeProgress(self._metrics)
            thread = threading.Thread(target=self._run, args=(probing, progress), daemon=True)
            self._latest[key] = progress, thread
            thread.start()

    def progress(self, judge: str, model: str) -> ProbeProgress | None:
        """Of the one that was started last in this service; None where none was."""
        known = self._latest.get((judge, self._judging.open(model).name))
        return known[0] if known else None

    def _run(self, probing: Probing, progress: ProbeProgress) -> None:
        try:
            asyncio.run(self._ask(probing, progress))
        except Draining:
            progress.problem = Reason("job.probe_stopped")
        except AdjudgeError as error:
            progress.problem = reason_of(error)
        except Exception as error:
            LOGGER.error("a probe failed", exc_info=error)
            progress.problem = Reason("job.fault", kind=type(error).__name__)
        finally:
            progress.over = True

    async def _ask(self, probing: Probing, progress: ProbeProgress) -> None:
        progress.loop = asyncio.get_running_loop()
        host = Host(progress.stop, self._judging.slots)
        await run_probe(probing, lambda _: progress, host)

    def close(self, seconds: float) -> None:
        """Lets replies under way come in, at most so many seconds."""
        for progress, _ in self._latest.values():
            progress.end()
        for _, thread in self._latest.values():
            thread.join(seconds)
