"""Tokens as they come: that a slow model is at work, and how long the rest will take."""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import suppress

from adjudge.core.judge import Judge
from adjudge.models.base import Generating

EVERY_ON_TERMINAL, EVERY_IN_LOG = 0.1, 10.0  # seconds between two lines
_READING = 8.0  # tokens are read in the time in which one is written, about
_A_TEXT = 45  # tokens of an explanation or an entry, before the first reply tells
_NEARLY = 0.97  # of a reply that turns out longer than was foreseen


def live() -> bool:
    """Whether a line on stderr may change in its place."""
    return sys.stderr.isatty() and not os.environ.get("CI")


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02d}m" if hours else f"{minutes}m{rest:02d}s"


def replace_line(line: str) -> None:
    """The last line of a terminal, anew; one that wraps could not be taken back."""
    line = line[: shutil.get_terminal_size().columns - 1]
    write(f"\r\x1b[K{line}")


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

    `calls` are all that will be made, `tokens` what a reply is foreseen to have.
    """

    def __init__(self, calls: int, tokens: float) -> None:
        self._calls, self._foreseen = calls, tokens
        self._now = Generating(0, 0, 0, 0)
        self._done = self._written = 0
        self._began = self._call_began = time.monotonic()

    @classmethod
    def of(cls, judge: Judge) -> Pace:
        """For one item."""
        lists = sum(each.most or 2 for each in judge.feedback.values() if each.list)
        single = sum(not each.list for each in judge.feedback.values())
        explained = sum(each.explain is True for each in judge.rubric.criteria.values())
        calls = calls_of(judge)
        return cls(calls, _A_TEXT * (lists + single + explained + 0.5) / len(judge.calls()))

    def over(self, calls: int) -> Pace:
        """The same for so many calls."""
        return Pace(calls, self._foreseen)

    def hear(self, now: Generating) -> None:
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
    """What `adjudge one` shows meanwhile; nothing is left of it on a terminal."""

    def __init__(self, judge: Judge) -> None:
        self._pace, self._live = Pace.of(judge), live()
        self._shown = time.monotonic()

    def hear(self, now: Generating) -> None:
        self._pace.hear(now)
        moment = time.monotonic()
        every = EVERY_ON_TERMINAL if self._live else EVERY_IN_LOG
        if moment - self._shown < every:
            return
        self._shown = moment
        if self._live:
            replace_line(self._pace.line())
        else:
            write(f"{self._pace.line()}\n")

    def done(self) -> None:
        if self._live:
            replace_line("")
