"""The progress line on stderr."""

from __future__ import annotations

import time

from adjudge.core.reply import NO_USAGE, Usage
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.models.base import Generating
from adjudge.reports.terminal import printable
from adjudge.running.plan import Planned

from .generating import (
    EVERY_IN_LOG,
    EVERY_ON_TERMINAL,
    Pace,
    calls_of,
    duration,
    live,
    replace_line,
    write,
)


class Progress:
    """Done of total, rate, time left, spend, unscored; plain lines where stderr is no terminal.

    Of a model that tells its tokens also how far the reply is that it writes.
    """

    def __init__(self, *, quiet: bool, no_progress: bool = False) -> None:
        self._quiet, self._no_progress = quiet, quiet or no_progress
        self._live = live()
        self._pace: Pace | None = None
        self._total = self._already = self._new = self._unscored = 0
        self._usage: Usage = NO_USAGE
        self._began = self._shown = time.monotonic()

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None:
        batch = planned.batch
        self._total = batch.verdicts
        self._already = already
        self._began = self._shown = time.monotonic()  # reading the data is no part of the rate
        if not self._no_progress:
            self._listen(planned)
        if self._quiet:
            return
        if planned.data.bad_rows:
            self._say(f"{planned.data.bad_rows} bad rows skipped")
            for row in planned.data.problems:
                self._say(f"  {row.place}: {row.why}")
        if resumed:
            self._say(f"going on with run {batch.run.id}: {already} of {self._total} are there")
        for model in batch.models:
            if model.name.startswith("embedded"):
                self._say(
                    f"{model.name} runs on this machine: private and free, slow, and a weak judge;"
                    " take its scores as a rehearsal (docs/embedded.md)"
                )

    def _listen(self, planned: Planned) -> None:
        batch = planned.batch
        share = 1 - self._already / self._total if self._total else 0.0
        calls = batch.run.rows * batch.repeat * sum(map(calls_of, batch.judges))
        self._pace = Pace.of(batch.judges[0]).over(round(calls * len(batch.models) * share))
        for model in batch.models:
            model.heard = self._hear

    def _hear(self, now: Generating) -> None:
        if self._pace:
            self._pace.hear(now)
            self._show_now_and_then()

    def verdict(self, verdict: Verdict) -> None:
        self._new += 1
        self._unscored += verdict.outcome is not Outcome.SCORED
        self._usage += verdict.usage
        self._show_now_and_then()

    def _show_now_and_then(self) -> None:
        now = time.monotonic()
        every = EVERY_ON_TERMINAL if self._live else EVERY_IN_LOG
        if not self._no_progress and now - self._shown >= every:
            self._shown = now
            self._show(self._line(now))

    def note(self, text: str) -> None:
        if not self._quiet:
            self._say(text)

    def stopping(self) -> None:
        """Said even when quiet: whoever presses Ctrl-C wants to know what happens now."""
        if self._live:
            write("\n")
        self._say("stopping: waiting for the requests under way; Ctrl-C again stops at once")

    def done(self) -> None:
        """The last line, which stays."""
        self._pace = None
        if not self._no_progress and self._new:
            self._show(self._line(time.monotonic()))
            if self._live:
                write("\n")

    def _line(self, now: float) -> str:
        done, passed = self._already + self._new, max(now - self._began, 1e-6)
        rate = self._new / passed
        counts = f"{self._spend()} · {self._unscored} unscored"
        if self._pace and (writing := self._pace.line()):
            return f"{done}/{self._total} · {writing} · {counts}"
        left = (self._total - done) / rate if rate else 0.0
        return f"{done}/{self._total} · {rate:.1f}/s · {duration(left)} left · {counts}"

    def _spend(self) -> str:
        usage = self._usage
        tokens = usage.input_tokens + usage.output_tokens
        if usage.cost_usd is None:
            return f"{tokens:,} tokens, price unknown"
        return f"${usage.cost_usd:.4f}, {tokens:,} tokens"

    def _show(self, line: str) -> None:
        if self._live:
            replace_line(line)
        else:
            self._say(line)

    def _say(self, line: str) -> None:
        write(f"{printable(line)}\n")
