from __future__ import annotations

import io
from contextlib import redirect_stderr
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from adjudge.cli import progress
from adjudge.cli.generating import duration
from adjudge.cli.progress import Progress
from adjudge.core.reply import Usage
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.judges import registry
from adjudge.models.base import Generating
from adjudge.running.plan import Planned


class Stderr(io.StringIO):
    terminal = True

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def stderr(monkeypatch: pytest.MonkeyPatch) -> Stderr:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(progress, "EVERY_ON_TERMINAL", 0.0)
    return Stderr()


def planned(rows: int = 10, **more: Any) -> Planned:
    model = SimpleNamespace(name="openai/m")
    batch = SimpleNamespace(
        models=(model,),
        judges=(registry.get("chatbot"),),
        repeat=1,
        verdicts=rows,
        run=SimpleNamespace(id="abc", rows=rows),
    )
    data = SimpleNamespace(rows=rows, bad_rows=0, problems=(), path=Path("x"))
    return cast(Planned, SimpleNamespace(batch=batch, data=SimpleNamespace(**vars(data) | more)))


def verdict(outcome: Outcome = Outcome.SCORED) -> Verdict:
    spent = Usage(input_tokens=1500, output_tokens=20, cost_usd=0.01)
    return Verdict(
        item="1", judge="j", fingerprint="f", model="m", outcome=outcome, scores={}, usage=spent
    )


def feed(stderr: Stderr, *, quiet: bool = False) -> None:
    with redirect_stderr(stderr):
        line = Progress(quiet=quiet)
        line.started(planned(), resumed=True, already=4)
        line.verdict(verdict())
        line.verdict(verdict(Outcome.REFUSED))
        line.done()


def test_on_a_terminal_one_line_is_drawn_anew(stderr: Stderr) -> None:
    feed(stderr)
    head, *drawn = stderr.getvalue().split("\r\x1b[K")
    assert head == "going on with run abc: 4 of 10 are there\n"
    assert drawn[0].startswith("5/10 · ")
    assert "/s" in drawn[-1]
    assert drawn[-1].startswith("6/10 · ")
    assert drawn[-1].endswith("left · $0.0200, 3,040 tokens · 1 unscored\n")


def test_a_line_never_wraps(stderr: Stderr, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    feed(stderr)
    drawn = stderr.getvalue().split("\r\x1b[K")[1:]
    assert drawn
    assert all(len(line.rstrip("\n")) < 30 for line in drawn)


@pytest.mark.parametrize("where", ["log", "CI"])
def test_plain_lines_elsewhere(stderr: Stderr, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    if where == "CI":
        monkeypatch.setenv("CI", "true")
    else:
        stderr.terminal = False
    feed(stderr)
    lines = stderr.getvalue().splitlines()
    assert len(lines) == 2  # what it goes on with, and the last; those between come every 10 s
    assert lines[1].startswith("6/10 · ")
    assert "\r" not in stderr.getvalue()
    assert "\x1b" not in stderr.getvalue()


def test_quiet(stderr: Stderr) -> None:
    feed(stderr, quiet=True)
    assert stderr.getvalue() == ""


def test_bad_rows_are_named(stderr: Stderr) -> None:
    problem = SimpleNamespace(place="line 7", why="odd \x1b[2J")
    plan = planned(bad_rows=1, problems=(problem,))
    with redirect_stderr(stderr):
        Progress(quiet=False).started(plan, resumed=False, already=0)
    assert stderr.getvalue() == "1 bad rows skipped\n  line 7: odd \\x1b[2J\n"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0m00s"), (61, "1m01s"), (3600, "1h00m"), (7322, "2h02m")]
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_without_progress_what_matters_is_still_said(capsys: pytest.CaptureFixture[str]) -> None:
    Progress(quiet=False, no_progress=True).note("openai/m takes no JSON schema")
    Progress(quiet=True).note("nothing of this")
    assert capsys.readouterr().err == "openai/m takes no JSON schema\n"


@pytest.mark.parametrize("shown", [True, False])
def test_tokens_of_a_slow_model_are_shown_unless_unwanted(stderr: Stderr, shown: bool) -> None:
    with redirect_stderr(stderr):
        line, plan = Progress(quiet=False, no_progress=not shown), planned()
        line.started(plan, resumed=False, already=0)
        (model,) = plan.batch.models
        if shown:
            assert model.heard
            model.heard(Generating(1, 100, 100, 30))
        else:
            assert getattr(model, "heard", None) is None
    assert ("0/10 · reply 1 of 10: 30 tokens" in stderr.getvalue()) is shown
