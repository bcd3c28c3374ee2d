"""The conversation of `adjudge label`: an item, its questions, and the keys a person presses.

Nothing of the judge's verdict is shown."""

from __future__ import annotations

import os
import re
import select
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, TextIO

import click
from wcwidth import wcwidth

from adjudge.analysis.labelling import (
    HELP,
    QUIT,
    SKIP,
    SKIP_ITEM,
    UNDO,
    AnswerKeys,
    LabelOptions,
    LabelSession,
    Question,
    keys_of,
)
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.label import range_of
from adjudge.core.rubric import Criterion
from adjudge.core.scale import NotAValue, Ordinal
from adjudge.judges import prepared_texts
from adjudge.reports.renderers.terminal import printable, screen_width
from adjudge.run_handle import Run

try:
    import termios
    import tty
except ImportError:  # no such terminals on this system: lines will do
    HAS_KEYS = False
else:
    HAS_KEYS = True

_WIDEST = 100
_ROOM = 4  # lines kept free below a page, for the question

_KEYS = "u undo · s skip · S skip the rest of the item · q quit and continue later · ? help"

_PICKED = {
    "random": "drawn at random",
    "planned": "by the plan",
    "uncertain": "the least certain first",
    "abstained": "left to people by the cascade, in random order",
}


def ask(run: Run, judge_name: str, chosen: LabelOptions, *, named: bool) -> None:
    """Asks until the queue is through or the rater quits; `named` says that --rater was given."""
    session = run.label_session(chosen, judge=judge_name)
    already, total = session.complete, len(session.queue)
    whose = "" if named else " (your login name; --rater or ADJUDGE_RATER name another)"
    click.echo(
        f"run {run.title}, judge {judge_name}. You label as {printable(chosen.rater)}{whose}.\n"
        f"{total} {'item' if total == 1 else 'items'}, {_PICKED[chosen.pick]} (seed {chosen.seed});"
        f" labelled already: {already}."
        f" What the judge said is not shown.\n{_KEYS}\n"
    )
    with opened() as keys:
        _Conversation(run, run.judge(judge_name), session, keys).go()
    done = session.complete
    left = "" if done == total else " The same command continues."
    click.echo(f"\n{done} of {total} items labelled by {printable(chosen.rater)}.{left}")
    if done:
        click.echo(f"How well the judge agrees: adjudge calibrate {shlex.quote(run.title)}")


class _Conversation:
    def __init__(self, run: Run, judge: Judge, session: LabelSession, keys: Keyboard) -> None:
        self._run, self._judge, self._session, self._keys = run, judge, session, keys
        self._answers = {name: keys_of(scale) for name, scale in session.scales.items()}
        self._shown = ""
        self._explained: set[str] = set()

    def go(self) -> None:
        while question := self._session.current:
            if not (self._show(question) and self._ask(question)):
                return

    def _show(self, question: Question) -> bool:
        """The item once, each criterion's guide the first time; False when the rater quits."""
        criterion = self._judge.rubric.measures[question.criterion]
        width = min(shutil.get_terminal_size().columns, _WIDEST)
        lines = []
        if question.item != self._shown:
            entry = next(self._run.entries(question.item))
            total = len(self._session.queue)
            lines += item_lines(self._judge, entry.item, question.number, total, width)
            self._shown = question.item
        if criterion.name not in self._explained:
            lines += guide_lines(criterion, width)
            self._explained.add(criterion.name)
        return self._page(lines)

    def _page(self, lines: Sequence[str]) -> bool:
        room = max(shutil.get_terminal_size().lines - _ROOM, 5)
        if not (self._keys.pages and sys.stdout.isatty()):
            room = max(len(lines), 1)
        for start in range(0, len(lines), room):
            click.echo("\n".join(lines[start : start + room]))
            behind = len(lines) - start - room
            if behind > 0:
                click.echo(f"-- {behind} more lines: space continues, q quits -- ", nl=False)
                if self._keys.key() in (None, QUIT):
                    return False
        return True

    def _ask(self, question: Question) -> bool:
        """Until there is an answer, or another thing to ask; False when the rater quits."""
        answers = self._answers[question.criterion]
        criterion = self._judge.rubric.measures[question.criterion]
        while True:
            click.echo(prompt_text(criterion, answers.words), nl=False)
            typed = self._keys.key() if answers.single else self._keys.line()
            if typed is None or typed == QUIT:
                return False
            if typed == HELP:
                click.echo("\n".join([*guide_lines(criterion, _WIDEST), _KEYS]))
            elif typed.strip() and self._act(typed, answers):
                return True

    def _act(self, typed: str, answers: AnswerKeys) -> bool:
        """Does what was typed; False when that was nothing."""
        if typed in (SKIP, SKIP_ITEM):
            self._session.skip(item=typed == SKIP_ITEM)
            return True
        if typed == UNDO:
            return self._undo()
        try:
            value = answers.read(typed)
        except NotAValue as why:
            click.echo(printable(str(why)))
            return False
        self._session.answer(value)
        return True

    def _undo(self) -> bool:
        back = self._session.undo()
        if back is None:
            click.echo("this is the first question: there is nothing to take back")
            return False
        click.echo(f"back to {back.criterion} of item {printable(back.item)}")
        return True


_END = "\x04"  # Ctrl-D
_SIGNALS_EVERY = 0.5  # seconds
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


class LineKeyboard:
    """Answers from a file or a pipe, one per line; each is shown, as if it had been typed."""

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


class TerminalKeyboard:
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
            # A signal that comes just before a read waits until the read ends: so reads never wait.
            while not select.select([self._fd], [], [], _SIGNALS_EVERY)[0]:
                pass
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
        yield LineKeyboard(sys.stdin)
        return
    fd = sys.stdin.fileno()
    usual = termios.tcgetattr(fd)

    def listen(*_: object) -> None:
        # DRAIN leaves what is typed ahead where it is. Ctrl-C and Ctrl-Z mean what they always do.
        tty.setcbreak(fd, termios.TCSADRAIN)

    before = signal.signal(signal.SIGCONT, listen)  # after Ctrl-Z the shell has set it otherwise
    try:
        listen()
        yield TerminalKeyboard(fd)
    finally:
        signal.signal(signal.SIGCONT, before)
        termios.tcsetattr(fd, termios.TCSADRAIN, usual)


_INDENT = "  "


def item_lines(judge: Judge, item: Item, number: int, total: int, width: int) -> list[str]:
    """The texts as the judge was given them, in full; an input without a text is left out."""
    head = f"── item {number} of {total} · {printable(item.id)} "
    lines = [head + "─" * max(3, width - screen_width(head))]
    for name, text in prepared_texts(judge, item.fields).items():
        if text:
            lines += ["", printable(judge.inputs[name].title), *_indented(text, width)]
    return [*lines, ""]


def guide_lines(criterion: Criterion, width: int) -> list[str]:
    """What is asked, and what each level means, in the judge's own words."""
    lines = [printable(criterion.title)]
    if criterion.guide.strip():
        lines += _indented(criterion.guide.strip(), width)
    if isinstance(criterion.scale, Ordinal):
        for value in criterion.scale.values():
            level = criterion.scale.levels[value]
            if level.meaning:
                lines += _indented(f"{value} {level.label}: {level.meaning}", width)
    return lines


def prompt_text(criterion: Criterion, keys: Mapping[str, str]) -> str:
    """The keys with what they stand for, "1 terrible · 2 unhelpful"; else what is to be typed."""
    shown = " · ".join(f"{key} {words}" if key != words else key for key, words in keys.items())
    return printable(f"{criterion.name}: {shown or f'{range_of(criterion.scale)}, then Enter'} › ")


def wrapped(text: str, width: int) -> Iterator[str]:
    """The text in lines that fit, where a Hangul syllable takes two places; nothing is dropped but
    the space at which a line breaks."""
    for line in printable(text).expandtabs(4).split("\n"):
        rest = line
        while (at := _fitting(rest, width)) < len(rest):
            space = rest.rfind(" ", 1, at + 1)
            indent = len(rest) - len(rest.lstrip(" "))
            cut = space if space > indent else at
            yield rest[:cut]
            rest = rest[cut:].removeprefix(" ")
        yield rest


def _indented(text: str, width: int) -> list[str]:
    return [_INDENT + line for line in wrapped(text, width - len(_INDENT))]


def _fitting(text: str, width: int) -> int:
    """How many characters fit, at least one."""
    used = 0
    for at, sign in enumerate(text):
        used += max(wcwidth(sign), 0)
        if used > width:
            return max(at, 1)
    return len(text)
