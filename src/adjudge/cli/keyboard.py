"""Answers from a person: single keys on a terminal, else one a line."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

import click

try:
    import termios
    import tty
except ImportError:  # no such terminals on this system: lines will do
    HAS_KEYS = False
else:
    HAS_KEYS = True

_END = "\x04"  # Ctrl-D
# Arrows, function keys, and letters together with Alt, each as one piece.
_SPECIAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\x1b]?)")
_ENTER = frozenset("\r\n")
_BACKSPACE = frozenset("\x7f\b")
_CLEAR = "\x15"  # Ctrl-U


class Keyboard(Protocol):
    """Both return None when nothing more will come."""

    pages: bool

    def key(self) -> str | None:
        """The next key; where answers are lines, the next of them."""
        ...

    def line(self) -> str | None:
        """What is typed up to Enter, without the spaces around it."""
        ...


class Lines:
    """Answers from a file or a pipe, one a line; each is shown, as if it had been typed."""

    pages = False

    def __init__(self, source: TextIO) -> None:
        self._source = source

    def key(self) -> str | None:
        line = self._source.readline()
        if not line:
            return None
        click.echo(line.strip())
        return line.strip()

    line = key


class Terminal:
    """Keys as they are pressed. Typing ahead works: keys wait until they are asked for."""

    pages = True

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._waiting = ""
        self._bytes = b""

    def key(self) -> str | None:
        pressed = self._next()
        if pressed is not None:
            click.echo(pressed if pressed.isprintable() else "")
        return pressed

    def line(self) -> str | None:
        typed = ""
        while (pressed := self._next()) is not None:
            if pressed in _ENTER:
                click.echo()
                return typed.strip()
            if pressed in _BACKSPACE or pressed == _CLEAR:
                gone = len(typed) if pressed == _CLEAR else min(1, len(typed))
                typed = typed[: len(typed) - gone]
                click.echo("\b \b" * gone, nl=False)
            elif pressed.isprintable():
                typed += pressed
                click.echo(pressed, nl=False)
        return None

    def _next(self) -> str | None:
        """One key; arrows and the like are passed over."""
        while not self._waiting:
            some = os.read(self._fd, 1024)
            if not some:
                return None
            self._waiting = _SPECIAL.sub("", self._decoded(some))
        pressed, self._waiting = self._waiting[0], self._waiting[1:]
        return None if pressed == _END else pressed

    def _decoded(self, some: bytes) -> str:
        """Whole characters; the beginning of one is kept for the next time."""
        self._bytes += some
        try:
            text = self._bytes.decode()
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":
                self._bytes, whole = self._bytes[error.start :], self._bytes[: error.start]
                return whole.decode()
            text = self._bytes.decode(errors="replace")
        self._bytes = b""
        return text


@contextmanager
def opened() -> Iterator[Keyboard]:
    """The keyboard of this process; the terminal is afterwards as it was."""
    if not (HAS_KEYS and sys.stdin.isatty()):
        yield Lines(sys.stdin)
        return
    fd = sys.stdin.fileno()
    usual = termios.tcgetattr(fd)

    def listen(*_: object) -> None:
        # DRAIN leaves what is typed ahead where it is. Ctrl-C and Ctrl-Z mean what they always do.
        tty.setcbreak(fd, termios.TCSADRAIN)

    before = signal.signal(signal.SIGCONT, listen)  # after Ctrl-Z the shell has set it otherwise
    try:
        listen()
        yield Terminal(fd)
    finally:
        signal.signal(signal.SIGCONT, before)
        termios.tcsetattr(fd, termios.TCSADRAIN, usual)
