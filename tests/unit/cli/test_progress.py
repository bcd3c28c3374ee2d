from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from adjudge.cli import progress
from adjudge.cli.progress import OneItem, Pace, ProgressLine, duration
from adjudge.core.reply import Usage
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.judges import registry
from adjudge.models.base import GenerationProgress
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
        run=SimpleNamespace(id="abc", title="abc", rows=rows),
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
        line = ProgressLine(quiet=quiet)
        line.started(planned(), resumed=True, already=4)
        line.verdict(verdict())
        line.verdict(verdict(Outcome.REFUSED))
        line.done()


def test_on_a_terminal_one_line_is_drawn_anew(stderr: Stderr) -> None:
    feed(stderr)
    head, *drawn = stderr.getvalue().split("\r\x1b[K")
    assert head == "continuing run abc: 4 of 10 are done\n"
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
        ProgressLine(quiet=False).started(plan, resumed=False, already=0)
    assert stderr.getvalue() == "1 bad rows skipped\n  line 7: odd \\x1b[2J\n"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0m00s"), (61, "1m01s"), (3600, "1h00m"), (7322, "2h02m")]
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_without_progress_what_matters_is_still_said(capsys: pytest.CaptureFixture[str]) -> None:
    ProgressLine(quiet=False, no_progress=True).note("openai/m takes no JSON schema")
    ProgressLine(quiet=True).note("nothing of this")
    assert capsys.readouterr().err == "openai/m takes no JSON schema\n"


@pytest.mark.parametrize("shown", [True, False])
def test_tokens_of_a_slow_model_are_shown_unless_unwanted(stderr: Stderr, shown: bool) -> None:
    with redirect_stderr(stderr):
        line, plan = ProgressLine(quiet=False, no_progress=not shown), planned()
        line.started(plan, resumed=False, already=0)
        (model,) = plan.batch.models
        if shown:
            assert model.on_progress
            model.on_progress(GenerationProgress(1, 100, 100, 30))
        else:
            assert getattr(model, "on_progress", None) is None
    assert ("0/10 · reply 1 of 10: 30 tokens" in stderr.getvalue()) is shown


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_nothing_is_said_before_the_first_token(clock: Clock) -> None:
    assert Pace(2, 50.0).line() == ""


def test_reading_and_writing_are_told_apart(clock: Clock) -> None:
    pace = Pace(2, 50.0)
    pace.hear(GenerationProgress(1, 400, 0, 0))
    assert pace.line() == "reply 1 of 2: reading, 0 of 400 tokens"
    clock.now += 5
    pace.hear(GenerationProgress(1, 400, 400, 0))
    # 50 of 100 parts of the first call took 5 s, so two calls take 20.
    assert pace.line() == "reply 1 of 2: reading, 400 of 400 tokens, about 0m15s left"
    clock.now += 4
    pace.hear(GenerationProgress(1, 400, 400, 40))
    assert pace.line() == "reply 1 of 2: 40 tokens in 0m09s, about 0m11s left"


def test_replies_that_came_tell_how_long_the_next_will_be(clock: Clock) -> None:
    pace = Pace(3, 500.0)
    pace.hear(GenerationProgress(1, 0, 0, 20))
    clock.now += 10
    pace.hear(GenerationProgress(2, 0, 0, 10))
    assert pace.line() == "reply 2 of 3: 10 tokens in 0m00s, about 0m10s left"


def test_more_calls_than_foreseen_are_no_negative_time(clock: Clock) -> None:
    pace = Pace(1, 10.0)
    for call in (1, 2, 3):
        clock.now += 10
        pace.hear(GenerationProgress(call, 10, 10, 50))
    assert pace.line().startswith("reply 3 of 3: 50 tokens")


@pytest.mark.parametrize(("judge", "calls"), [("gptscore", 9), ("preference", 2), ("chatbot", 1)])
def test_calls_of_an_item(judge: str, calls: int) -> None:
    assert progress.calls_of(registry.get(judge)) == calls


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines come when a test asks for one."""
    monkeypatch.setattr(progress, "EVERY_ON_TERMINAL", 1000.0)
    monkeypatch.setattr(progress, "EVERY_IN_LOG", 1000.0)


@pytest.mark.usefixtures("by_hand")
def test_plain_lines_tell_how_far_a_reply_is(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())
    watching = OneItem(registry.get("gptscore"), "embedded")
    for second in range(25):
        watching.hear(GenerationProgress(1, 100, 100, second))
        if second in {10, 20}:
            watching.tell()
        clock.now += 1
    watching.done()
    lines = said.getvalue().splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "reply 1 of 9: 10 tokens in 0m10s",
        "reply 1 of 9: 20 tokens in 0m20s",
    ]
    assert "\x1b" not in said.getvalue()


@pytest.mark.usefixtures("by_hand")
def test_a_silent_model_is_named_with_the_time(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())
    watching = OneItem(registry.get("gptscore"), "openai/slow")
    clock.now += 270
    watching.tell()
    watching.done()
    assert said.getvalue() == "waiting for openai/slow: 9 calls, 4m30s\n"


@pytest.mark.usefixtures("by_hand")
def test_a_terminal_has_one_line_that_goes_away(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "stderr", said := Terminal())
    watching = OneItem(registry.get("chatbot"), "embedded")
    clock.now += 1
    watching.hear(GenerationProgress(1, 100, 100, 7))
    watching.tell()
    watching.done()
    assert "\r\x1b[Kreply 1 of 1: 7 tokens" in said.getvalue()
    assert said.getvalue().endswith("\r\x1b[K")
