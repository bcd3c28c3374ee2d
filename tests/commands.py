"""The command `adjudge` in tests: in this process, where that is enough, or in one of its own."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .forked import Forked

ADJUDGE = str(Path(sys.executable).with_name("adjudge"))


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Command:
    """Runs `adjudge ARGUMENTS` in `folder`, which is the working directory of the test."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ended:
        from adjudge.cli.main import main

        self._capsys.readouterr()
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["adjudge", *arguments])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            code: Any = 0
            handler = signal.getsignal(signal.SIGINT)
            try:
                main()
            except SystemExit as ended:
                code = ended.code
            finally:
                signal.signal(signal.SIGINT, handler)  # an interrupted command ends deaf to it
        shown = self._capsys.readouterr()
        return Ended(code or 0, shown.out, shown.err)

    def process(self, *arguments: str, **settings: Any) -> subprocess.Popen[str]:
        """The same as a process, started and not waited for. It loads the program by itself where
        settings are given for that, and else is the fork of one that has."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        start = subprocess.Popen if settings.keys() & {"env", "preexec_fn"} else Forked
        return start([ADJUDGE, *arguments], cwd=self.folder, text=True, **(pipes | settings))

    def write(self, name: str, rows: list[Mapping[str, object]]) -> str:
        """A JSONL file in the folder; returns its name."""
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        (self.folder / name).write_text("".join(lines), "utf-8")
        return name


@pytest.fixture
def adjudge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command in an empty folder, with nothing of the user's environment."""
    for name in list(os.environ):
        if name.startswith(("ADJUDGE_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, monkeypatch, capsys)
