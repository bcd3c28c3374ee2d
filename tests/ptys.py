"""The command `adjudge` on a real terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import termios
import time
from pathlib import Path
from types import TracebackType

from .commands import ADJUDGE
from .forked import Forked

_PATIENCE = 30.0  # seconds; a test that needs them has failed


class OnTerminal:
    """Runs `adjudge ARGUMENTS` with a terminal of its own, and plays the person in front of it."""

    def __init__(self, *arguments: str, folder: Path, lines: int = 60, columns: int = 80) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environment = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "LINES"}}
        self.usual = termios.tcgetattr(slave)
        self.process = Forked(
            [ADJUDGE, *arguments],
            cwd=folder,
            env=environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        self._slave = slave  # kept open: its settings are looked at when the process has ended
        self.seen = ""

    def __enter__(self) -> OnTerminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self._slave)

    def expect(self, *texts: str) -> str:
        """Waits until one of the texts is on the screen; returns what came up to its end."""
        end = time.monotonic() + _PATIENCE
        while not any(text in self.seen for text in texts):
            assert time.monotonic() < end, f"{texts} did not come; there is {self.seen!r}"
            self._take_in(0.1)
        ends = [self.seen.index(text) + len(text) for text in texts if text in self.seen]
        shown, self.seen = self.seen[: min(ends)], self.seen[min(ends) :]
        return shown

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def hang_up(self) -> None:
        """Closes the terminal, as when its window or the connection goes."""
        os.close(self._slave)
        os.close(self.master)

    def ended(self) -> int:
        """Waits for the end of the process, and says how it ended."""
        code = self.process.wait(_PATIENCE)
        self._take_in(0.2)
        return code

    def as_usual(self) -> bool:
        """Whether the terminal is set as it was before."""
        return termios.tcgetattr(self._slave) == self.usual

    def _take_in(self, seconds: float) -> None:
        if select.select([self.master], [], [], seconds)[0]:
            self.seen += os.read(self.master, 65536).decode(errors="replace").replace("\r\n", "\n")
