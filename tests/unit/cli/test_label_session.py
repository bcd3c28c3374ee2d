from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator

import pytest

from adjudge.cli import label_session
from adjudge.cli.label_session import LineKeyboard, TerminalKeyboard

Press = Callable[[bytes], None]


@pytest.fixture
def keys() -> Iterator[tuple[TerminalKeyboard, Press]]:
    """A terminal, and what presses its keys; what is pressed at once arrives at once."""
    reading, writing = os.pipe()
    yield TerminalKeyboard(reading), lambda some: os.write(writing, some) and None
    os.close(reading)
    os.close(writing)


def test_keys_come_one_by_one(keys: tuple[TerminalKeyboard, Press]) -> None:
    terminal, press = keys
    press(b"4s")
    assert [terminal.key(), terminal.key()] == ["4", "s"]


@pytest.mark.parametrize("special", ["\x1b[A", "\x1bOP", "\x1b[1;5C", "\x1b[15~", "\x1bx", "\x1b"])
def test_special_keys_are_no_answers(keys: tuple[TerminalKeyboard, Press], special: str) -> None:
    terminal, press = keys
    press(special.encode())
    if special == "\x1b":
        press(b"\x1b[B")  # Esc, then an arrow
    press(b"\x1b[A4")
    assert terminal.key() == "4"


def test_a_character_in_two_parts(keys: tuple[TerminalKeyboard, Press]) -> None:
    terminal, press = keys
    first, rest = "điểm".encode()[:1], "điểm".encode()[1:]
    press(first)
    assert terminal._decoded(os.read(terminal._fd, 10)) == ""
    press(rest + b"\n")
    assert terminal.line() == "điểm"


def test_bytes_that_are_no_text(keys: tuple[TerminalKeyboard, Press]) -> None:
    terminal, press = keys
    press(b"\xff4")
    assert [terminal.key(), terminal.key()] == ["\ufffd", "4"]


def test_a_line_can_be_mended(
    keys: tuple[TerminalKeyboard, Press], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal, press = keys
    press(b"\x7f12\x7f\x083\x1b[D\x01.5 \r")
    assert terminal.line() == "3.5"
    press(b"99\x158\n")
    assert terminal.line() == "8"
    assert capsys.readouterr().out == "12\b \b\b \b3.5 \n99\b \b\b \b8\n"


def test_the_end(keys: tuple[TerminalKeyboard, Press]) -> None:
    terminal, press = keys
    press(b"\x045\x04")
    assert terminal.key() is None
    assert terminal.line() is None


def test_lines_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    lines = LineKeyboard(io.StringIO(" 4 \n\nlast"))
    assert [lines.key(), lines.line(), lines.key(), lines.key()] == ["4", "", "last", None]
    assert capsys.readouterr().out == "4\n\nlast\n"


def test_without_keys_there_are_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_session, "HAS_KEYS", False)
    with label_session.opened() as opened:
        assert isinstance(opened, LineKeyboard)
