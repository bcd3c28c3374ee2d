"""Progress on stderr: rows done of a run, and tokens of a slow model as they come."""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import suppress
from threading import Event, Thread

from adjudge.core.judge import Judge
from adjudge.core.reply import NO_USAGE, Usage
from adjudge.core.score import SETTLED
from adjudge.core.verdict import Verdict
from adjudge.models import GenerationProgress
from adjudge.reports.renderers.terminal import printable
from adjudge.running import Planned, Progress


class ProgressLine:
    """Done of total, rate, time left, spend, unscored; plain lines where stderr is no terminal.

    Of a model that tells its tokens also how far the reply is that it writes.
    """

    def __init__(self, *, quiet: bool, no_progress: bool = False) -> None:
        self._quiet, self._no_progress = quiet, quiet or no_progress
        self._live = live()
        self._pace: Pace | None = None
        self._total = self._already = self._new = self._unscored = 0
        self._usage: Usage = NO_USAGE
        self._workers = 0  # elsewhere
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
            self._say(f"continuing run {batch.run.title}: {already} of {self._total} are done")
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
            model.on_progress = self._hear

    def _hear(self, now: GenerationProgress) -> None:
        if self._pace:
            self._pace.hear(now)
            self._show_now_and_then()

    def verdict(self, verdict: Verdict) -> None:
        self._new += 1
        self._unscored += verdict.outcome not in SETTLED
        self._usage += verdict.usage
        self._show_now_and_then()

    def counted(self, progress: Progress) -> None:
        self._new, self._unscored, self._usage, self._workers = progress
        self._show_now_and_then()

    def _show_now_and_then(self) -> None:
        now = time.monotonic()
        every = EVERY_ON_TERMINAL if self._live else EVERY_IN_LOG
        if not self._no_progress and now - self._shown >= every:
            self._shown = now
            show_line(self._line(now), live=self._live)

    def note(self, text: str) -> None:
        if not self._quiet:
            self._say(text)

    def stopping(self) -> None:
        """Said even when quiet: a user who presses Ctrl-C wants to know what happens now."""
        if self._live:
            write("\n")
        self._say("stopping: waiting for the requests in flight; Ctrl-C again stops at once")

    def done(self) -> None:
        """The last line, which stays."""
        self._pace = None
        if not self._no_progress and self._new:
            show_line(self._line(time.monotonic()), live=self._live)
            if self._live:
                write("\n")

    def _line(self, now: float) -> str:
        done, passed = self._already + self._new, max(now - self._began, 1e-6)
        rate = self._new / passed
        counts = f"{self._spend()} · {self._unscored} unscored"
        if self._workers:
            counts += f" · {self._workers} workers"
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

    def _say(self, line: str) -> None:
        write(f"{printable(line)}\n")


EVERY_ON_TERMINAL, EVERY_IN_LOG = 0.1, 10.0  # seconds between two lines
_READING = 8.0  # tokens are read in the time in which one is written, about
_A_TEXT = 45  # tokens of an explanation or an entry, before the first reply tells
_NEARLY = 0.97  # of a reply that turns out longer than expected


def live() -> bool:
    """Whether a line on stderr may change in its place."""
    return sys.stderr.isatty() and not os.environ.get("CI")


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02d}m" if hours else f"{minutes}m{rest:02d}s"


def show_line(line: str, *, live: bool) -> None:
    """The last line of a terminal again; one that wraps could not be replaced. Else a new one."""
    columns = shutil.get_terminal_size().columns
    write(f"\r\x1b[K{line[: columns - 1]}" if live else f"{printable(line)}\n")


def write(text: str) -> None:
    """To stderr. A terminal that was closed, or a pipe that nobody reads, stops no work."""
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def calls_of(judge: Judge) -> int:
    """Questions about an item."""
    return len(judge.calls()) * (2 if judge.pair else 1)


class Pace:
    """How far the replies of a model are, and by that how long those to come will take.

    `calls` are all that will be made, `tokens` what a reply is expected to have.
    """

    def __init__(self, calls: int, tokens: float) -> None:
        self._calls, self._foreseen = calls, tokens
        self._now = GenerationProgress(0, 0, 0, 0)
        self._done = self._written = 0
        self._began = self._call_began = time.monotonic()

    @classmethod
    def of(cls, judge: Judge) -> Pace:
        """For one item."""
        lists = sum(section.most or 2 for section in judge.feedback.values() if section.list)
        single = sum(not section.list for section in judge.feedback.values())
        explained = sum(criterion.explain is True for criterion in judge.rubric.criteria.values())
        calls = calls_of(judge)
        return cls(calls, _A_TEXT * (lists + single + explained + 0.5) / len(judge.calls()))

    def over(self, calls: int) -> Pace:
        """The same for so many calls."""
        return Pace(calls, self._foreseen)

    def hear(self, now: GenerationProgress) -> None:
        if now.call != self._now.call:
            if self._now.call:
                self._done += 1
                self._written += self._now.written
                self._foreseen = self._written / self._done
            else:
                self._began = time.monotonic()  # loading the model is no part of the pace
            self._call_began = time.monotonic()
        self._now = now

    def line(self) -> str:
        """Empty before the first token."""
        now, passed = self._now, time.monotonic() - self._call_began
        if not now.call:
            return ""
        calls = max(self._calls, self._done + 1)
        reply = f"reply {self._done + 1} of {calls}"
        if not now.written:
            return f"{reply}: reading, {now.read:,} of {now.prompt:,} tokens{self._left()}"
        return f"{reply}: {now.written:,} tokens in {duration(passed)}{self._left()}"

    def _left(self) -> str:
        now = self._now
        whole = now.prompt / _READING + self._foreseen
        part = min(_NEARLY, (now.read / _READING + now.written) / whole) if whole else 0.0
        done = self._done + part
        calls = max(self._calls, self._done + 1)
        if done < 0.1:  # too little to go by
            return ""
        left = (time.monotonic() - self._began) / done * (calls - done)
        return f", about {duration(left)} left"


class OneItem:
    """What `adjudge one` shows meanwhile; nothing is left of it on a terminal.

    Also of a model that tells nothing before its reply is whole: then whom we wait for, and how
    long. Lines come from a thread of their own, since nothing else wakes while a model works.
    """

    def __init__(self, judge: Judge, model: str) -> None:
        self._pace, self._live = Pace.of(judge), live()
        self._began, self._ended = time.monotonic(), Event()
        calls = calls_of(judge)
        self._asked = f"{model}: {'1 call' if calls == 1 else f'{calls} calls'}"
        self._thread = Thread(target=self._keep_telling, daemon=True)
        self._thread.start()

    def hear(self, now: GenerationProgress) -> None:
        self._pace.hear(now)

    def _keep_telling(self) -> None:
        while not self._ended.wait(EVERY_ON_TERMINAL if self._live else EVERY_IN_LOG):
            self.tell()

    def tell(self) -> None:
        """A line: how far the reply is, or for how long nothing was heard."""
        passed = duration(time.monotonic() - self._began)
        show_line(self._pace.line() or f"waiting for {self._asked}, {passed}", live=self._live)

    def done(self) -> None:
        self._ended.set()
        self._thread.join()
        if self._live:
            show_line("", live=True)
