"""The progress line on stderr."""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import suppress

from adjudge.core.reply import NO_USAGE, Usage
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.reports.terminal import printable
from adjudge.running.plan import Planned

_EVERY_ON_TERMINAL, _EVERY_IN_LOG = 0.1, 10.0  # seconds between two lines


class Progress:
    """Done of total, rate, time left, spend, unscored; plain lines where stderr is no terminal."""

    def __init__(self, *, quiet: bool, no_progress: bool = False) -> None:
        self._quiet, self._no_progress = quiet, quiet or no_progress
        self._live = sys.stderr.isatty() and not os.environ.get("CI")
        self._total = self._already = self._new = self._unscored = 0
        self._usage: Usage = NO_USAGE
        self._began = self._shown = time.monotonic()

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None:
        batch = planned.batch
        self._total = batch.verdicts
        self._already = already
        self._began = self._shown = time.monotonic()  # reading the data is no part of the rate
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

    def verdict(self, verdict: Verdict) -> None:
        self._new += 1
        self._unscored += verdict.outcome is not Outcome.SCORED
        self._usage += verdict.usage
        now = time.monotonic()
        every = _EVERY_ON_TERMINAL if self._live else _EVERY_IN_LOG
        if not self._no_progress and now - self._shown >= every:
            self._shown = now
            self._show(self._line(now))

    def note(self, text: str) -> None:
        if not self._quiet:
            self._say(text)

    def stopping(self) -> None:
        """Said even when quiet: whoever presses Ctrl-C wants to know what happens now."""
        if self._live:
            self._write("\n")
        self._say("stopping: waiting for the requests under way; Ctrl-C again stops at once")

    def done(self) -> None:
        """The last line, which stays."""
        if not self._no_progress and self._new:
            self._show(self._line(time.monotonic()))
            if self._live:
                self._write("\n")

    def _line(self, now: float) -> str:
        done, passed = self._already + self._new, max(now - self._began, 1e-6)
        rate = self._new / passed
        left = (self._total - done) / rate if rate else 0.0
        return (
            f"{done}/{self._total} · {rate:.1f}/s · {_duration(left)} left"
            f" · {self._spend()} · {self._unscored} unscored"
        )

    def _spend(self) -> str:
        usage = self._usage
        tokens = usage.input_tokens + usage.output_tokens
        if usage.cost_usd is None:
            return f"{tokens:,} tokens, price unknown"
        return f"${usage.cost_usd:.4f}, {tokens:,} tokens"

    def _show(self, line: str) -> None:
        if self._live:
            # A line that wraps could not be taken back.
            line = line[: shutil.get_terminal_size().columns - 1]
            self._write(f"\r\x1b[K{line}")
        else:
            self._say(line)

    def _say(self, line: str) -> None:
        self._write(f"{printable(line)}\n")

    def _write(self, text: str) -> None:
        """A terminal that was closed, or a pipe that nobody reads, does not stop the run."""
        with suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02d}m" if hours else f"{minutes}m{rest:02d}s"
