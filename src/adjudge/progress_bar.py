"""Progress of a run that Python has started: a bar in a notebook's cell, a line on a terminal.

Where neither is there, as in a script whose output goes to a file, nothing is shown.
"""

from __future__ import annotations

import sys
import time
from html import escape
from typing import Any

from adjudge.core.score import SETTLED
from adjudge.core.verdict import Verdict
from adjudge.running import Planned, Progress

_EVERY = 0.3  # seconds between two looks


class ProgressBar:
    """Hears of a run; `show` puts a text and a share from 0 to 1 before the reader."""

    def __init__(self) -> None:
        self._total = self._done = self._unscored = 0
        self._began = self._shown = 0.0

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None:  # noqa: ARG002
        self._total, self._done = planned.batch.verdicts, already
        self._began = time.monotonic()
        self._tell()

    def verdict(self, verdict: Verdict) -> None:
        self._done += 1
        self._unscored += verdict.outcome not in SETTLED
        self._tell()

    def counted(self, progress: Progress) -> None:
        self._done, self._unscored = progress.verdicts, progress.unscored
        self._tell()

    def note(self, text: str) -> None:
        self.say(text)

    def stopping(self) -> None:
        self.say("stopping")

    def _tell(self) -> None:
        now, ended = time.monotonic(), self._done >= self._total
        if ended or now - self._shown >= _EVERY:
            self._shown = now
            share = self._done / self._total if self._total else 1.0
            seconds = now - self._began
            self.show(
                f"{self._done} of {self._total} · {seconds:.0f} s · {self._unscored} unscored",
                share,
                ended=ended,
            )

    def show(self, text: str, share: float, *, ended: bool) -> None:
        raise NotImplementedError

    def say(self, text: str) -> None:
        raise NotImplementedError


class CellBar(ProgressBar):
    """In the cell that runs; plain HTML, without widgets."""

    def __init__(self, display: Any, html: Any) -> None:
        super().__init__()
        self._display, self._html = display, html
        self._handle: Any = None

    def show(self, text: str, share: float, *, ended: bool) -> None:  # noqa: ARG002
        bar = self._html(f'<progress value="{share:.3f}" max="1"></progress> {escape(text)}')
        if self._handle is None:
            self._handle = self._display(bar, display_id=True)
        else:
            self._handle.update(bar)

    def say(self, text: str) -> None:
        self._display(self._html(f"<p>{escape(text)}</p>"))


class TerminalBar(ProgressBar):
    """One line on stderr."""

    def show(self, text: str, share: float, *, ended: bool) -> None:
        full = round(share * 20)
        end = "\n" if ended else ""
        sys.stderr.write(f"\r[{'#' * full}{'.' * (20 - full)}] {text}{end}")
        sys.stderr.flush()

    def say(self, text: str) -> None:
        sys.stderr.write(f"\r{text}\n")


def progress_bar() -> ProgressBar | None:
    """What suits the place: a cell, a terminal, or nothing."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and hasattr(shell, "kernel"):
        from IPython.display import HTML, display  # type: ignore[import-not-found,unused-ignore] # noqa: PLC0415

        return CellBar(display, HTML)
    return TerminalBar() if sys.stderr is not None and sys.stderr.isatty() else None
